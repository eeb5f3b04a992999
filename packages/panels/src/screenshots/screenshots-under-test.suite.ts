import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Layout, Order, Screenshot, SharingRequest, Tab } from "@backplane/contract/panels";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import type { ProblemBody } from "@backplane/kit/problems";
import sharp from "sharp";
import { createCatalog, findPanel } from "../catalog/catalog.ts";
import { createFiles } from "../files/files.ts";
import { createUsage } from "../files/usage.ts";
import { surfacesOf } from "../live/sharing.ts";
import { NO_RULES } from "../packages/sample-packages.suite.ts";
import type { Answered, Live, PresentBrowser, SharingEvent } from "../services.ts";
import type { Stage } from "../workspaces/stages.suite.ts";
import { callerOf, openStage, type Instance as WorkspacesInstance } from "../workspaces/workspaces-under-test.suite.ts";
import { openScreenshots } from "./screenshots.ts";

export type Shot = Extract<Order, { kind: "shot" }>;
export const WORKSPACE = "/api/workspaces/editor/Ada/Rover/current";

/** Colours that differ from pixel to pixel: what comes back can be compared. */
export async function picture(width: number, height: number): Promise<Buffer> {
  const raw = Buffer.alloc(width * height * 3);
  for (let at = 0; at < raw.length; at += 3) raw.set([at % 251, (at >> 8) % 253, 90], at);
  return sharp(raw, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

const tab = (id: string, kind: string, displayName?: string): Tab => ({
  ...{ id, panelType: findPanel(kind)?.identifier ?? "", panelState: {} },
  ...(displayName === undefined ? {} : { displayName }),
});
/** A web view and a log behind it on the left; a sandbox on the right. */
const ROOT: Layout["root"] = {
  ...{ type: "split", id: "split", direction: "horizontal", ratio: 0.5 },
  first: { type: "leaf", id: "left", tabs: [tab("web", "webview"), tab("log", "system-log")], activeTabId: "web" },
  second: { type: "leaf", id: "right", tabs: [tab("sand", "sandbox", "Yaw step response")], activeTabId: "sand" },
};

/** The browsers of the workspace, as every instance sees them. Those that share answer orders by `onShot`. */
export type Room = {
  browsers: PresentBrowser[];
  requests: Map<string, SharingRequest>;
  /** Who stopped waiting for an answer. */
  stopped: string[];
  orders: Shot[];
  onShot(order: Shot): Promise<Answered>;
};

export const browser = (displaySurface: "browser" | "monitor" | null, browserId = "b"): PresentBrowser => ({
  ...{ browserId, since: 1, sharing: { active: displaySurface !== null, displaySurface } },
});

function fakeLive(room: Room): Live & { say(event: SharingEvent): void } {
  const listeners = new Set<(event: SharingEvent) => void>();
  return {
    async ask(_workspaceId, order, { sharing: surface, signal }) {
      const qualifies = ({ sharing }: PresentBrowser) => surface === undefined || surfacesOf(sharing).includes(surface);
      const found = room.browsers.find(qualifies);
      if (!found || order.kind !== "shot") return { ok: false, reason: "no-browser" };
      room.orders.push(order);
      const aborted = new Promise<Answered>((resolve) => {
        signal?.addEventListener("abort", () => resolve({ ok: false, reason: "unknown" }));
      });
      return Promise.race([room.onShot(order), aborted]);
    },
    tell: async () => {},
    browsers: async () => room.browsers,
    eventStreams: async () => 0,
    countStream: async () => () => {},
    onSharing(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onMounted: () => () => {},
    sharingRequests: {
      add: async (_workspaceId, request) => void room.requests.set(request.id, request),
      async remove(_workspaceId, id, why) {
        if (why === "stopped-waiting") room.stopped.push(room.requests.get(id)?.by ?? "");
        room.requests.delete(id);
      },
    },
    say(event) {
      for (const listener of listeners) listener(event);
    },
  };
}

export type UnderTest = Awaited<ReturnType<typeof openUnderTest>>;

/** Two instances that share a database, a bus and the folder of projects. */
export async function openUnderTest(t: TestContext, stage: Stage, { maxBytes = 1024 ** 3 } = {}) {
  const { ends, clock, access, first, last } = await openStage(t, stage);
  const projectsFolder = await mkdtemp(join(tmpdir(), "screenshots-"));
  ends.push(() => rm(projectsFolder, { recursive: true }));
  const room: Room = {
    ...{ browsers: [browser("browser")], requests: new Map(), stopped: [], orders: [] },
    onShot: async (order) => upload(one, order.shotId, await picture(64, 48)),
  };
  const lines: string[] = [];
  const { id } = await first.workspaces.openFor(callerOf("Ada"), { owner: "Ada", repo: "Rover" });
  await first.workspaces.edit(id, () => ({ root: ROOT, answer: null }), { undoable: false });

  async function start({ dependencies, workspaces }: WorkspacesInstance) {
    const live = fakeLive(room);
    const log = {
      note: (_id: string, level: string, source: string, message: string) =>
        void lines.push(`${level} ${source} ${message}`),
      add: async () => [],
    };
    const settings = { ...dependencies.settings, projectsFolder };
    const files = createFiles(projectsFolder);
    const { database, now, onFault } = dependencies;
    const usage = createUsage({ database, now, onFault, measure: files.sizeOf, maxBytes });
    const screenshots = openScreenshots({
      ...dependencies,
      ...{ catalog: createCatalog({}), settings, workspaces, live, log, files, usage, packageRules: NO_RULES },
    });
    const app = await createApp({
      onlyDeclaredProblems: true,
      log: createLog({ process: "test", level: "fatal", destination: { write: () => {} } }),
      ...{ metrics: createMetrics("test"), now: dependencies.now, readiness: { checks: {}, isDraining: () => false } },
      ...{ trustProxy: [], overHttps: false },
    });
    screenshots.addRoutes(app);
    await app.listen({ host: "127.0.0.1", port: 0 });
    ends.push(async () => {
      screenshots.close();
      app.server.closeAllConnections();
      await app.close();
    });
    const { port } = app.server.address() as AddressInfo;
    const call = (method: string, path: string, more: RequestInit & { as?: string | null } = {}) => {
      const { as = "Ada/bench-agent", headers, ...init } = more;
      const credential: Record<string, string> = as === null ? {} : { authorization: `Bearer ${as}` };
      const url = `http://127.0.0.1:${port}${path}`;
      return fetch(url, { method, ...init, headers: { ...credential, ...(headers as Record<string, string>) } });
    };
    const shoot = (body: unknown, more: RequestInit & { as?: string | null } = {}) =>
      call("PATCH", `${WORKSPACE}/screenshot`, {
        ...more,
        headers: { "content-type": "application/json", ...(more.headers as Record<string, string>) },
        body: JSON.stringify(body),
      });
    return { live, call, shoot };
  }

  const one = await start(first);
  const other = await start(last);
  const folder = join(projectsFolder, "@id-ada", "rover", "screenshots");
  const kept = async () => (await readdir(folder).catch(() => [])).sort();
  const share = (by: typeof one, displaySurface: "browser" | "monitor") => {
    room.browsers = [browser(displaySurface)];
    by.live.say({ workspaceId: id, browserId: "b", sharing: { active: true, displaySurface } });
  };
  return { t, clock, access, room, lines, one, other, folder, kept, share, workspaceId: id, projectsFolder };
}

type Instance = UnderTest["one"];

export function post(instance: Pick<Instance, "call">, shotId: string, body: Uint8Array | string, more: object = {}) {
  return instance.call("POST", `${WORKSPACE}/screenshot/${shotId}`, {
    ...{ headers: { "content-type": "image/png" }, as: "Ada", ...more },
    body: typeof body === "string" ? body : new Uint8Array(body),
  });
}

/** What a browser does with an order. */
export async function upload(instance: Pick<Instance, "call">, shotId: string, png: Buffer): Promise<Answered> {
  const { ok, status } = await post(instance, shotId, png);
  return ok ? { ok, value: null } : { ok, reason: "refused", code: "shot-failed", detail: `was answered ${status}` };
}

export async function screenshotOf(response: Response): Promise<Screenshot> {
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as Screenshot;
}

export async function problemOf(response: Response): Promise<ProblemBody> {
  return (await response.json()) as ProblemBody;
}
