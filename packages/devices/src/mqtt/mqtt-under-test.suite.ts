import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openBus } from "@backplane/kit/bus";
import type { Caller } from "@backplane/kit/callers";
import { type Database, openDatabase } from "@backplane/kit/database";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { Problem } from "@backplane/kit/problems";
import { sql } from "kysely";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import type { MqttLink, MqttMessage, WorkspaceOf } from "../services.ts";
import type { DevicesTables } from "../tables.ts";
import { createKeys } from "./keys.ts";
import { KEYS_TABLE } from "./keys-table.ts";
import { type MqttDependencies, openMqtt, type Tuning } from "./mqtt.ts";

export const WORKSPACES: readonly WorkspaceOf[] = ["arm", "cell"].map((repo) => ({
  id: `w-${repo}`,
  owner: "ada",
  repo,
}));

export async function createKeysTable(database: Database<DevicesTables>): Promise<void> {
  for (const statement of KEYS_TABLE) await sql.raw(statement).execute(database.durable);
}

export async function openSqlite(t: TestContext): Promise<Database<DevicesTables>> {
  const home = mkdtempSync(join(tmpdir(), "devices-"));
  const database = await openDatabase<DevicesTables>({ url: undefined, home, onLostConnection: () => {} });
  await createKeysTable(database);
  t.after(async () => {
    await database.close();
    rmSync(home, { recursive: true });
  });
  return database;
}

export type Heard = { workspace: string; messages: MqttMessage[]; connections: string[]; link: MqttLink };

type Options = {
  settings?: Partial<MqttDependencies["settings"]>;
  tuning?: Tuning;
  database?: Database<DevicesTables>;
};

/** Everything of `mqtt/` on real sockets and a real database, with an HTTP server for `/mqtt` and the routes. */
export async function startMqtt(t: TestContext, { settings, tuning, database: given }: Options = {}) {
  const database = given ?? (await openSqlite(t));
  const bus = await openBus({ now: Date.now, onFault: () => {} });
  const followers = new Set<() => void>();
  const notes: string[] = [];
  const faults: unknown[] = [];
  const heard = new Map<string, Heard>();
  const removed: ((workspaceId: string) => Promise<void>)[] = [];
  const idle: string[] = [];
  const dependencies: MqttDependencies = {
    database,
    bus,
    async followAccess(_access, onEnd) {
      followers.add(onEnd);
      return () => void followers.delete(onEnd);
    },
    settings: {
      ...{ home: "", host: "127.0.0.1", mqttPort: 0, mqttUrl: undefined, redisUrl: undefined, historyKeepDays: 730 },
      ...{ baseUrl: "http://backplane.test", trustProxy: [], projectsFolder: "", recordingsMaxBytes: 0 },
      ...settings,
    },
    now: Date.now,
    metrics: createMetrics("test"),
    async authenticate({ headers }) {
      if (headers.authorization === "nobody") throw new Problem("not-signed-in");
    },
    async openWorkspace(request) {
      const { repo } = request.params as { repo: string };
      const workspace = WORKSPACES.find((one) => one.repo === repo) as WorkspaceOf;
      return { workspace, caller: { userId: "ada", userName: "ada" } as Caller, access: {} as never, mayControl: true };
    },
    onWorkspaceRemoved: (listener) => void removed.push(listener),
    note: (workspaceId, level, _source, message) => void notes.push(`${workspaceId} ${level} ${message}`),
    onFault: (error) => void faults.push(error),
  };

  async function hear(id: string): Promise<Heard> {
    const before = heard.get(id);
    if (before) return before;
    const workspace = WORKSPACES.find((one) => one.id === id) as WorkspaceOf;
    const link = await brokers.open(workspace);
    const one: Heard = { workspace: id, messages: [], connections: [], link };
    heard.set(id, one);
    link.onMessage((message) => void one.messages.push(message));
    link.onConnection((device, isConnected) => void one.connections.push(`${device} ${isConnected ? "came" : "left"}`));
    return one;
  }
  const brokers = await openMqtt(
    dependencies,
    {
      async wake(id) {
        await hear(id);
        return true;
      },
      idle: (id) => void idle.push(id),
    },
    tuning,
  );
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
    metrics: dependencies.metrics,
    now: Date.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: false,
    onlyDeclaredProblems: true,
  });
  brokers.addRoutes(app);
  app.server.on("upgrade", (request, socket, head) => {
    if (!brokers.upgrade(request, socket, head)) socket.destroy();
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(async () => {
    await brokers.close();
    await app.close();
    await bus.close();
  });

  const path = (repo: string, rest = "") => `/api/workspaces/editor/ada/${repo}/current/devices/keys${rest}`;
  const makeKey = async (body: { name?: string; device?: string; gateway?: boolean }, repo = "arm") => {
    const response = await app.inject({ method: "POST", url: path(repo), payload: { name: "a key", ...body } });
    return { status: response.statusCode, ...(response.json() as { id: string; key: string; code?: string }) };
  };
  const clients: MqttClient[] = [];
  t.after(() => {
    for (const client of clients) client.end(true);
  });
  /** A client of ours; `got` has what it was sent. */
  async function connect(password: string, options: IClientOptions = {}, url = brokers.address() as string) {
    const got: string[] = [];
    const client = mqtt.connect(url, { username: "any", password, reconnectPeriod: 0, ...options });
    clients.push(client);
    client.on("message", (topic, payload, { retain }) => got.push(`${topic}=${payload}${retain ? " (kept)" : ""}`));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    client.once("connect", () => resolve());
    client.once("error", reject);
    client.once("close", () => reject(new Error("closed")));
    await promise;
    client.on("error", () => {});
    const closed = () => new Promise<void>((done) => client.once("close", () => done()));
    return Object.assign(client, { got, closed });
  }
  const topicsHeard = (id = "w-arm"): string[] =>
    heard.get(id)?.messages.map(({ topic, payload }) => `${topic}=${payload}`) ?? [];
  return {
    brokers,
    app,
    endAccess: () => {
      for (const onEnd of followers) onEnd();
    },
    keys: createKeys(database),
    heard,
    hear,
    notes,
    faults,
    idle,
    removed,
    path,
    makeKey,
    connect,
    topicsHeard,
  };
}
