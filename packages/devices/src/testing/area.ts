import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import {
  DEVICES_SOCKET_PATH,
  type DevicesHubMessage,
  type DevicesPageMessage,
  type WireBatch,
} from "@backplane/contract/devices";
import { type OpenBus, openBus } from "@backplane/kit/bus";
import { type Caller, type FollowAccess, requireCaller } from "@backplane/kit/callers";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { Problem } from "@backplane/kit/problems";
import type { FastifyRequest } from "fastify";
import { WebSocket } from "ws";
import { until } from "../../../../scripts/testing/until.ts";
import { openDevicesArea } from "../area.ts";
import { migrations } from "../migrations.ts";
import type { Simulators, WorkspaceOf } from "../services.ts";
import type { DevicesTables } from "../tables.ts";

export type AreaStage = {
  name: string;
  /** Absent: one process with its own broker. */
  openBus?: () => Promise<() => Promise<OpenBus>>;
  /** Absent: SQLite. */
  openDatabase?: () => Promise<AsyncDisposable & { url: string }>;
  simulators?: Simulators;
  mqttUrl?: () => Promise<{ url: string; close(): Promise<void> }>;
  recordingsMaxBytes?: number;
};

const SCOPES: Record<string, Caller["scopes"]> = {
  ada: ["panels", "publish", "read", "devices:read", "devices:control"],
  eve: ["devices:read"],
  bob: ["devices:read", "devices:control"],
  bot: ["devices:read", "devices:control"],
};

const callerOf = (request: FastifyRequest, may: "read" | "control" | "stop"): Promise<Caller> =>
  requireCaller(
    async ({ headers }) => {
      const name = headers.authorization?.replace("Bearer ", "");
      if (name === undefined) return undefined;
      return {
        ...{ userId: name, userName: name, credentialId: name, credentialName: name },
        kind: PROGRAMS.has(name) ? "ApiKey" : "Browser",
        scopes: SCOPES[name] ?? [],
      };
    },
    request,
    may === "control" ? "devices:control" : "devices:read",
  );

/** These are programs; all others sit at a browser. */
const PROGRAMS: ReadonlySet<string> = new Set(["bot"]);

/** Every workspace is there, and everybody but Mallory may open it. */
function createWorkspacesForTest() {
  const removed: ((workspaceId: string) => Promise<void>)[] = [];
  const gone = new Set<string>();
  const followers = new Map<() => void, string>();
  const followAccess: FollowAccess = async ({ userId }, onEnd) => {
    const follower = () => onEnd();
    followers.set(follower, userId);
    return () => void followers.delete(follower);
  };
  return {
    followAccess,
    endAccessOf(user: string): void {
      for (const [follower, userId] of followers) if (userId === user) follower();
    },
    workspaceNamed: async (id: string): Promise<WorkspaceOf | undefined> =>
      gone.has(id) ? undefined : { id, owner: "ada", repo: id.slice(2) },
    onWorkspaceRemoved: (listener: (workspaceId: string) => Promise<void>) => void removed.push(listener),
    async remove(id: string): Promise<void> {
      gone.add(id);
      for (const listener of removed) await listener(id);
    },
  };
}

/** The whole area on real sockets, brokers and databases. */
export async function openAreaForTest(t: TestContext, stage: AreaStage, instances: 1 | 2 = 1) {
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const home = mkdtempSync(join(tmpdir(), "devices-area-"));
  const server = await stage.openDatabase?.();
  const database = await openDatabase<DevicesTables>({ url: server?.url, home, onLostConnection: () => {} });
  await migrate(database as Database<unknown>, migrations, () => 1);
  const sharedBus = stage.openBus ? undefined : await openBus({ now: Date.now, onFault });
  const connectBus = await stage.openBus?.();
  const outside = await stage.mqttUrl?.();
  const workspaces = createWorkspacesForTest();
  const notes: string[] = [];
  const recordingsMaxBytes = stage.recordingsMaxBytes ?? 100_000_000;
  const ends: (() => Promise<void>)[] = [];

  async function start() {
    const bus = connectBus ? await connectBus() : (sharedBus as OpenBus);
    const metrics = createMetrics("test");
    const area = await openDevicesArea({
      ...{ database, bus, now: Date.now, metrics, onFault, ...workspaces },
      settings: {
        ...{ home, host: "127.0.0.1", mqttPort: 0, mqttUrl: outside?.url, baseUrl: "http://localhost:8790" },
        ...{
          redisUrl: connectBus ? "redis://test" : undefined,
          trustProxy: [],
          panelOrigins: [],
          historyKeepDays: 730,
        },
        ...{ projectsFolder: join(home, "projects"), recordingsMaxBytes },
        ...{ framesUrl: "http://*.localhost:8790", devicesAllow: ["127.0.0.0/8"], databaseUrl: undefined },
        ...{
          streamAllow: ["127.0.0.0/8"],
          streamHosts: [],
          streamPorts: undefined,
          streamRelays: { urls: [], secret: undefined },
        },
        ...{ platformPort: 8790, gatewayPort: 8791, watchdogPort: 8792, viewerPort: 8793 },
      },
      simulators: stage.simulators,
      note: (_workspaceId, level, _source, message) => void notes.push(`${level}: ${message}`),
      authenticate: async (request, may) => void (await callerOf(request, may)),
      async openWorkspace(request, may) {
        const caller = await callerOf(request, may);
        const { owner, repo } = request.params as { owner: string; repo: string };
        if (owner !== "ada") throw new Problem("workspace-not-yours");
        return {
          ...{
            workspace: { id: `w-${repo}`, owner, repo },
            caller,
            mayControl: caller.scopes.includes("devices:control"),
          },
          access: { userId: caller.userId, kind: caller.kind, credentialId: caller.credentialId, ownerId: "ada" },
        };
      },
    });
    const app = await createApp({
      onlyDeclaredProblems: true,
      log: createLog({ process: "test", level: "silent" as never, destination: { write: () => {} } }),
      ...{
        metrics,
        now: Date.now,
        readiness: { checks: {}, isDraining: () => false },
        trustProxy: [],
        overHttps: false,
      },
    });
    await area.addRoutes(app, { unless: () => false });
    await app.listen({ host: "127.0.0.1", port: 0 });
    let isStopped = false;
    const stop = async () => {
      if (isStopped) return;
      isStopped = true;
      await area.close();
      app.server.closeAllConnections();
      await app.close();
      if (bus !== sharedBus) await bus.close();
    };
    ends.push(stop);
    const host = `127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    return { area, bus, metrics, stop, url: `http://${host}`, socketUrl: `ws://${host}${DEVICES_SOCKET_PATH}` };
  }

  t.after(async () => {
    for (const end of ends.reverse()) await end();
    await outside?.close();
    await sharedBus?.close();
    await database.close();
    await server?.[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
    assert.deepEqual(faults, []);
  });
  const first = await start();
  const last = instances === 1 ? first : await start();
  type At = { url: string; socketUrl: string };

  const call = (method: string, path: string, { at = first as At, body, as = "ada" }: Call<At> = {}) =>
    fetch(
      `${at.url}/api/workspaces/editor/ada/demo/current${/^\/(recordings|streams)/.test(path) ? "" : "/devices"}${path}`,
      {
        method,
        headers: {
          authorization: `Bearer ${as}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
    );
  async function json<Answer>(path: string, at: At = first): Promise<Answer> {
    const response = await call("GET", path, { at });
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as Answer;
  }
  async function ticket(at: At = first, as = "ada"): Promise<string> {
    const response = await call("POST", "/ticket", { at, as });
    assert.equal(response.status, 201, await response.clone().text());
    return ((await response.json()) as { ticket: string }).ticket;
  }
  return {
    ...{ first, last, start, faults, notes, workspaces, call, json, ticket, database, outside },
    connect: (at: At = first) => new HubPage(at.socketUrl).opened(),
    /** A page that was welcomed. */
    async open(at: At = first, as = "ada"): Promise<HubPage> {
      const page = await new HubPage(at.socketUrl).opened();
      page.send({ type: "hello", ticket: await ticket(at, as) });
      await page.hears("welcome");
      return page;
    },
    async deviceKey(body: object = {}): Promise<string> {
      const response = await call("POST", "/keys", { body: { name: "key", ...body } });
      assert.equal(response.status, 201, await response.clone().text());
      return ((await response.json()) as { key: string }).key;
    },
  };
}

type Call<At> = { at?: At; body?: unknown; as?: string };
type Message<Type extends DevicesHubMessage["type"]> = Extract<DevicesHubMessage, { type: Type }>;

/** A page that a test controls, on a real socket. */
export class HubPage {
  readonly heard: DevicesHubMessage[] = [];
  closeCode: number | undefined;
  readonly #socket: WebSocket;

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on("message", (data) => this.heard.push(JSON.parse(String(data))));
    this.#socket.on("close", (code) => {
      this.closeCode = code;
    });
    this.#socket.on("error", () => {});
  }

  async opened(): Promise<this> {
    await until("the socket is open", () => this.#socket.readyState === WebSocket.OPEN);
    return this;
  }

  send(message: DevicesPageMessage): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  async hears<Type extends DevicesHubMessage["type"]>(
    type: Type,
    fits: (message: Message<Type>) => boolean = () => true,
  ): Promise<Message<Type>> {
    const last = () => this.heard.findLast((message) => message.type === type && fits(message as Message<Type>));
    await until(`the page hears "${type}"`, () => last() !== undefined || this.closeCode !== undefined);
    if (!last()) throw new Error(`The socket was closed with ${this.closeCode} before the page heard "${type}".`);
    return last() as Message<Type>;
  }

  /** What a page has of a subscription after all batches: those of history replace what is at their times and later. */
  rows(id: number, field: string): { tMs: number; value: unknown }[] {
    const rows: { tMs: number; value: unknown }[] = [];
    let fields: readonly string[] = [];
    for (const batch of this.batches(id)) {
      fields = batch.f ?? fields;
      const place = fields.indexOf(field);
      if (batch.reset) rows.length = 0;
      if (batch.h) while ((rows.at(-1)?.tMs ?? -1) >= (batch.t[0] ?? 0)) rows.pop();
      for (const [i, tMs] of batch.t.entries()) rows.push({ tMs, value: batch.v[place]?.[i] });
    }
    return rows;
  }

  batches(id: number): WireBatch[] {
    return this.heard
      .flatMap((message) => (message.type === "values" ? message.batches : []))
      .filter(({ c }) => c === id);
  }

  async closed(): Promise<number> {
    await until("the socket is closed", () => this.closeCode !== undefined);
    return this.closeCode ?? 0;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Without a close frame, like a browser that crashes. */
  vanish(): void {
    this.#socket.terminate();
  }
}
