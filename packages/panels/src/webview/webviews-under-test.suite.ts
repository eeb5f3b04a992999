import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Order, SitePermissions } from "@backplane/contract/panels";
import { openBus } from "@backplane/kit/bus";
import type { Caller, Owners } from "@backplane/kit/callers";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { createTestAccess } from "../access.suite.ts";
import { createCatalog } from "../catalog/catalog.ts";
import { createLabelReader } from "../frames.ts";
import { migrations } from "../migrations.ts";
import { NO_LIBRARIES, NO_PACKAGES, NO_RULES } from "../packages/sample-packages.suite.ts";
import type { Answered, Services } from "../services.ts";
import type { PanelsTables } from "../tables.ts";
import { openWorkspaces } from "../workspaces/workspaces.ts";
import { type Answer, ask, type FrameRequest } from "./frame-request.suite.ts";
import { openWebviews, type WebviewOptions } from "./webviews.ts";

const BASE_URL = "http://localhost:8790";
const FRAMES_URL = "http://*.localhost:8790";
const START_MS = Date.UTC(2026, 6, 28, 14, 30);

export type UnderTest = Awaited<ReturnType<typeof openUnderTest>>;

type Options = WebviewOptions & { proxyAllow?: string[] };

/** Web views on a real socket, with real workspaces; the test answers orders in place of a browser. */
export async function openUnderTest(t: TestContext, options: Options = {}) {
  const clock = { nowMs: START_MS };
  const now = () => clock.nowMs;
  const faults: unknown[] = [];
  const lines: string[] = [];
  const notes: string[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const home = mkdtempSync(join(tmpdir(), "webviews-"));
  const database = await openDatabase<PanelsTables>({ url: undefined, home, onLostConnection: () => {} });
  await migrate(database as Database<unknown>, migrations, () => 1);
  const bus = await openBus({ now, onFault });
  const metrics = createMetrics("test");
  const members = new Set(["ada", "bob"].map((name) => `id-${name}`));
  const owners: Owners = {
    async resolve(userId, name) {
      if (userId === `id-${name}`) return userId;
      return name === "lab" && members.has(userId) ? "org-lab" : undefined;
    },
    mayAct: async (userId, ownerId) => userId === ownerId || (ownerId === "org-lab" && members.has(userId)),
    mayManage: async (userId, ownerId) => userId === ownerId,
    nameOf: async (ownerId) => ownerId.replace(/^(id|org)-/, ""),
    listFor: async (userId) => [{ id: userId, name: userId.replace("id-", "") }],
    idOf: async (name) => `id-${name}`,
    personNamed: async (name) => `id-${name}`,
    listRemoved: async () => [],
    onRemoved: () => {},
  };
  const access = createTestAccess();
  const dependencies = {
    ...{ database, bus, now, metrics, owners, onFault, followAccess: access.followAccess },
    ...{ panelPackages: NO_PACKAGES, libraryPackages: NO_LIBRARIES },
    settings: {
      ...{
        baseUrl: BASE_URL,
        framesUrl: FRAMES_URL,
        projectsFolder: home,
        quotas: { fileBytes: 1024 ** 3, archiveBytes: 1024 ** 3, packages: 10 },
        trustProxy: [],
        host: "127.0.0.1",
        gatewayPort: 8795,
        watchdogPort: 8796,
        viewerPort: 8770,
        panelAliases: {},
        panelOrigins: [],
      },
      proxyAllow: options.proxyAllow ?? ["127.0.0.0/8"],
    },
    whoIsCalling: async ({ headers }: { headers: IncomingHttpHeaders }) => callerOf(headers.authorization),
  };
  const workspaces = openWorkspaces(dependencies);
  const browser: { answer: (order: Order) => Answered; orders: Order[] } = {
    answer: () => ({ ok: false, reason: "no-browser" }),
    orders: [],
  };
  const live = {
    async ask(_workspaceId: string, order: Order) {
      browser.orders.push(order);
      return browser.answer(order);
    },
  } as unknown as Services["live"];
  const log = {
    note: (_id, level, source, message) => void notes.push(`${level} ${source}: ${message}`),
  } as Services["log"];
  const unused = { files: {} as Services["files"], usage: {} as Services["usage"], packageRules: NO_RULES };
  const services: Services = { ...dependencies, ...unused, catalog: createCatalog({}), workspaces, live, log };
  const webviews = await openWebviews(services, options);
  const labelOf = createLabelReader(FRAMES_URL);
  const app = await createApp({
    onlyDeclaredProblems: true,
    log: createLog({ process: "test", level: "trace", destination: { write: (line) => lines.push(line) } }),
    ...{ metrics, now, readiness: { checks: {}, isDraining: () => false }, trustProxy: [], overHttps: false },
    answerFirst(request, response) {
      const frame = labelOf(request);
      if (frame) webviews.answer(request, response, frame.label);
      return frame !== undefined;
    },
  });
  app.server.on("upgrade", (request, socket, head) => {
    const frame = labelOf(request);
    if (frame) webviews.upgrade(request, socket, head, frame);
  });
  webviews.addRoutes(app);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  t.after(async () => {
    app.server.closeAllConnections();
    await app.close();
    await webviews.close();
    await bus.close();
    await database.close();
    rmSync(home, { recursive: true });
    assert.deepEqual(faults, []);
  });

  async function call(method: string, path: string, body?: unknown, person = "ada") {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...(person === "" ? {} : { authorization: `Bearer ${person}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: the test checks the answer
    return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as any) };
  }

  return { clock, faults, lines, notes, browser, access, database, workspaces, services, app, port, call };
}

/** A name is a person's browser; "program-name" a program of theirs, "reader-name" a key that may only read. */
const callerOf = (authorization: string | undefined): Caller | undefined => {
  const name = authorization?.replace("Bearer ", "");
  if (name === undefined) return undefined;
  const userName = name.replace(/^(?:program|reader)-/, "");
  const kind = userName === name ? "Browser" : "ApiKey";
  return {
    ...{ userId: `id-${userName}`, userName, kind, credentialId: name, credentialName: `key of ${userName}` },
    scopes: name.startsWith("reader-") ? ["read"] : ["panels", "publish", "read"],
  };
};

export type Visitor = {
  label: string;
  host: string;
  frame: string;
  cookie: string;
  /** Where the first redirect led to. */
  path: string;
  get(path: string, more?: Partial<FrameRequest>): Promise<Answer>;
};

/** Enters the proxy for a page, as the workspace's page does, up to the cookie. */
export async function enter(
  under: UnderTest,
  url: string,
  { person = "ada", owner = "ada", allowed = {} as SitePermissions } = {},
): Promise<Visitor> {
  const path = `/api/panels/webview/${owner}/demo/pass`;
  const { status, body } = await under.call("POST", path, { url, ...allowed }, person);
  assert.equal(status, 200, JSON.stringify(body));
  return follow(under, body.src);
}

/** Follows a frame's first address. */
export async function follow(under: UnderTest, src: string): Promise<Visitor> {
  const { host, origin, pathname, search } = new URL(src);
  const entered = await ask(under.port, host, pathname + search);
  assert.equal(entered.status, 307, entered.body);
  const cookie = entered.headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? "";
  return {
    ...{ label: host.split(".", 1)[0] ?? "", host, frame: origin, cookie, path: entered.headers.location ?? "" },
    get: (path, more = {}) => ask(under.port, host, path, { ...more, headers: { cookie, ...more.headers } }),
  };
}
