import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { SOCKET_PATH, type Ticket } from "@backplane/contract/panels";
import { type OpenBus, openBus } from "@backplane/kit/bus";
import type { Owners, WhoIsCalling } from "@backplane/kit/callers";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { createTestAccess } from "../access.suite.ts";
import { serveLog } from "../log/routes.ts";
import { createWorkspaceLog } from "../log/workspace-log.ts";
import { migrations } from "../migrations.ts";
import { NO_LIBRARIES, NO_PACKAGES } from "../packages/sample-packages.suite.ts";
import type { Dependencies } from "../services.ts";
import type { PanelsTables } from "../tables.ts";
import { openWorkspaces } from "../workspaces/workspaces.ts";
import type { LiveLimits } from "./limits.ts";
import { openLive } from "./live.ts";
import { Page } from "./page.suite.ts";
import { serveLive } from "./routes.ts";

export type Stage = {
  name: string;
  instances: 1 | 2;
  /** Absent: one bus within this process. */
  openBus?: () => Promise<() => Promise<OpenBus>>;
  /** Absent: a SQLite file. */
  prepare?: () => Promise<{ url: string; discard(): Promise<void> }>;
};

const START_MS = Date.UTC(2026, 6, 28, 14, 30);
export const FRAMES_URL = "http://*.localhost:8790";

/** People are known by their name here; their ids are not their names. */
const idOf = (name: string): string => `id-${name}`;
const owners: Owners = {
  resolve: async (userId, name) => (userId === idOf(name) ? userId : undefined),
  mayAct: async (userId, ownerId) => userId === ownerId,
  mayManage: async (userId, ownerId) => userId === ownerId,
  nameOf: async (id) => id.slice(idOf("").length),
  listFor: async (id) => [{ id, name: id.slice(idOf("").length) }],
  idOf: async (name) => idOf(name),
  personNamed: async (name) => idOf(name),
  listRemoved: async () => [],
  onRemoved: () => {},
};
const whoIsCalling: WhoIsCalling = async ({ headers }) => {
  const name = headers.authorization?.replace("Bearer ", "");
  if (name === undefined) return undefined;
  return {
    ...{ userId: idOf(name), userName: name, kind: "Browser", credentialId: name, credentialName: name },
    scopes: ["panels", "publish", "read"],
  };
};

export type UnderTest = Awaited<ReturnType<typeof openLiveForTest>>;
export type Instance = UnderTest["first"];

/** The live part and the log on real sockets; the test sets the clock. */
export async function openLiveForTest(t: TestContext, stage: Stage, limits: Partial<LiveLimits> = {}) {
  const clock = { nowMs: START_MS };
  const now = () => clock.nowMs;
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const home = mkdtempSync(join(tmpdir(), "panels-"));
  const server = await stage.prepare?.();
  const sharedBus = stage.openBus ? undefined : await openBus({ now, onFault });
  const connectBus = await stage.openBus?.();
  const access = createTestAccess();
  const { followAccess } = access;
  const stops: (() => Promise<void>)[] = [];

  async function start() {
    const database = await openDatabase<PanelsTables>({ url: server?.url, home, onLostConnection: () => {} });
    await migrate(database as Database<unknown>, migrations, () => 1);
    const bus = connectBus ? await connectBus() : (sharedBus as OpenBus);
    const metrics = createMetrics("test");
    const dependencies: Dependencies = {
      ...{ database, bus, now, metrics, whoIsCalling, followAccess, owners, onFault },
      ...{ panelPackages: NO_PACKAGES, libraryPackages: NO_LIBRARIES },
      settings: {
        ...{ baseUrl: "http://localhost:8790", framesUrl: FRAMES_URL, projectsFolder: home },
        quotas: { fileBytes: 1024 ** 3, archiveBytes: 1024 ** 3, packages: 10 },
        ...{
          proxyAllow: [],
          trustProxy: [],
          host: "127.0.0.1",
          gatewayPort: 8795,
          watchdogPort: 8796,
          viewerPort: 8770,
          panelAliases: {},
          panelOrigins: [],
        },
      },
    };
    const workspaces = openWorkspaces(dependencies);
    const live = await openLive(dependencies, workspaces, limits);
    const log = createWorkspaceLog(dependencies, live);
    const app = await createApp({
      onlyDeclaredProblems: true,
      log: createLog({ process: "test", level: "silent" as never, destination: { write: () => {} } }),
      ...{ metrics, now, readiness: { checks: {}, isDraining: () => false }, trustProxy: [], overHttps: false },
    });
    live.attach(app.server, { unless: () => false });
    serveLive(app, { ...dependencies, workspaces, live });
    serveLog(app, { ...dependencies, workspaces, log });
    await app.listen({ host: "127.0.0.1", port: 0 });
    let isStopped = false;
    const stop = async () => {
      if (isStopped) return;
      isStopped = true;
      await live.close();
      await log.close();
      app.server.closeAllConnections();
      await app.close();
      if (bus !== sharedBus) await bus.close();
      await database.close();
    };
    stops.push(stop);
    const host = `127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    return {
      url: `http://${host}`,
      socketUrl: `ws://${host}${SOCKET_PATH}`,
      workspaces,
      live,
      log,
      bus,
      metrics,
      stop,
    };
  }

  t.after(async () => {
    for (const stop of stops.reverse()) await stop();
    await sharedBus?.close();
    await server?.discard();
    rmSync(home, { recursive: true, force: true });
    assert.deepEqual(faults, []);
  });
  const first = await start();
  const last = stage.instances === 1 ? first : await start();

  const current = (repo: string, owner = "ada") => `/api/workspaces/editor/${owner}/${repo}/current`;
  const as = (user: string) => ({ authorization: `Bearer ${user}` });

  async function ticket(repo: string, at: { url: string } = last, user = "ada"): Promise<string> {
    const response = await fetch(`${at.url}${current(repo, user)}/ticket`, { method: "POST", headers: as(user) });
    assert.equal(response.status, 201, await response.clone().text());
    return ((await response.json()) as Ticket).ticket;
  }

  async function workspaceId(repo: string, user = "ada"): Promise<string> {
    const caller = await whoIsCalling({ headers: as(user) } as never);
    assert.ok(caller);
    return (await first.workspaces.openFor(caller, { owner: user, repo })).id;
  }

  return {
    ...{ clock, faults, access, first, last, current, as, ticket, workspaceId },
    connect: (at: { socketUrl: string }) => new Page(at.socketUrl).opened(),
    /** A page that was welcomed. */
    async open(repo: string, at: { url: string; socketUrl: string } = first, user = "ada") {
      const page = await new Page(at.socketUrl).opened();
      page.send({ type: "hello", ticket: await ticket(repo, at, user) });
      await page.hears("welcome");
      // The next one comes later, by the clock that decides who has been there longest.
      clock.nowMs += 1;
      return page;
    },
  };
}
