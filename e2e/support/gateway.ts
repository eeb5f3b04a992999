import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import type { GatewayMessage } from "../../packages/gateway/src/contract.ts";
import { freePort } from "../../scripts/services/index.ts";
import { Program, plainEnvironment, ROOT } from "./backplane.ts";

const MAIN = join(ROOT, "packages/gateway/src/gateway/main.ts");

export type RunningGateway = AsyncDisposable & {
  readonly url: string;
  readonly wsUrl: string;
  readonly port: number;
  readonly pid: number;
  /** All that it printed, over all its lives. */
  output(): string;
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it anew on the same port. */
  start(): Promise<void>;
};

/** One gateway process on a port of its own. */
export async function startGateway(env: NodeJS.ProcessEnv = {}): Promise<RunningGateway> {
  const folder = mkdtempSync(join(tmpdir(), "backplane-gateway-"));
  const port = await freePort();
  let program: Program;
  let earlier = "";
  const start = async () => {
    program = new Program(process.execPath, [MAIN], {
      cwd: folder,
      env: { ...plainEnvironment(), GATEWAY_PORT: String(port), BACKPLANE_HOME: join(folder, "home"), ...env },
    });
    await program.prints(/"msg":"ready"/);
  };
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    await program.stop(signal);
    earlier += program.output;
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    port,
    get pid() {
      return program.pid;
    },
    output: () => earlier + program.output,
    kill,
    start,
    async [Symbol.asyncDispose]() {
      if (program.child.exitCode === null && program.child.signalCode === null) await kill("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A plain client, as one without our library would be written. */
export async function connectClient(gateway: Pick<RunningGateway, "wsUrl">) {
  const socket = new WebSocket(gateway.wsUrl);
  const messages: GatewayMessage[] = [];
  let wake = () => {};
  socket.on("message", (data) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  await once(socket, "open");
  const next = async (): Promise<GatewayMessage> => {
    while (messages.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return messages.shift() as GatewayMessage;
  };
  const ask = (message: unknown) => {
    socket.send(JSON.stringify(message));
    return next();
  };
  return {
    socket,
    next,
    ask,
    async register(more: Record<string, unknown> = {}) {
      const state = randomUUID();
      const reply = await ask({ type: "register", state, provider: "google", ...more });
      assert.deepEqual(reply, { type: "registered", state });
      return state;
    },
  };
}
