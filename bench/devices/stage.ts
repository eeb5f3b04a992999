import { findOrInstall, mosquitto as mosquittoTool } from "../../scripts/services/find-or-install.ts";
import { freePort } from "../../scripts/services/index.ts";
import { BenchFault } from "../harness/fault.ts";
import { nodeServer } from "../harness/node-server.ts";
import { type RunningServer, startServer } from "../harness/server.ts";
import { OWNER, platform } from "../intents/contestants.ts";
import { signIn } from "../intents/sign-in.ts";

/** A broker that clients connect to. `key`: of a gateway; undefined: everybody may. */
export type Broker = AsyncDisposable & { server: RunningServer; mqttPort: number; key: string | undefined };

export type Workbench = Broker & {
  /** Of the owner's session. */
  cookie: string;
  call<Answer>(method: string, path: string, body?: object): Promise<Answer>;
};

export const WORKSPACE = { owner: OWNER.name, repo: "bench" };
const DEVICES = `/api/workspaces/editor/${WORKSPACE.owner}/${WORKSPACE.repo}/current/devices`;

/** The platform as `up` starts it, with a key for a gateway. */
export async function startWorkbench(label: string): Promise<Workbench> {
  const mqttPort = await freePort();
  const options = platform(label);
  const server = await startServer({
    ...options,
    env: (port) => ({ ...options.env?.(port), MQTT_PORT: String(mqttPort) }),
  });
  const cookie = await signIn(server.url);
  const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${server.url}${DEVICES}${path}`, {
      method,
      headers: { cookie, origin: server.url, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new BenchFault(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as Answer;
  };
  const { key } = await call<{ key: string }>("POST", "/keys", { name: "bench", gateway: true });
  return { server, mqttPort, key, call, cookie, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Our broker without what reads its messages. */
export async function startBroker(label: string): Promise<Broker> {
  const mqttPort = await freePort();
  const options = nodeServer(label, new URL("./serve-broker.ts", import.meta.url), "/");
  const server = await startServer({ ...options, env: () => ({ MQTT_PORT: String(mqttPort) }) });
  const { key } = (await (await fetch(server.url)).json()) as { key: string };
  return { server, mqttPort, key, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

export async function startMosquittoBroker(label: string): Promise<Broker> {
  const found = await findOrInstall(mosquittoTool);
  if (found.from !== "program") throw new BenchFault("Install mosquitto: its CPU time is read from its process.");
  const server = await startServer({
    ...{ label, command: found.path, args: () => ["-c", "mosquitto.conf"], readyLine: /running/ },
    files: (port) => ({
      "mosquitto.conf": `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\nlog_type all\n`,
    }),
  });
  return { server, mqttPort: server.port, key: undefined, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
