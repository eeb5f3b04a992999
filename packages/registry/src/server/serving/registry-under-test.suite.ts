import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Contact } from "@backplane/contract/registry";
import { type OpenBus, openBus } from "@backplane/kit/bus";
import type { Caller, WhoIsCalling } from "@backplane/kit/callers";
import { type Database, migrate } from "@backplane/kit/database";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { Problem } from "@backplane/kit/problems";
import { type Sample, sampleArchive } from "../../archives/samples.suite.ts";
import { openRegistryArea } from "../area.ts";
import { migrations } from "../migrations.ts";
import type { Owners } from "../owners.ts";
import type { RegistryTables } from "../tables.ts";

/** What differs between runs of the suites. */
export type Stage = {
  name: string;
  /** A fresh, empty database; each `open` opens it once more. */
  prepare(): Promise<{ open(): Promise<Database<RegistryTables>>; discard(): Promise<void> }>;
  instances: 1 | 2;
  /** Absent: one bus within this process. */
  openBus?: () => Promise<() => Promise<OpenBus>>;
};

export const BASE_URL = "https://registry.example.org";
export const START_MS = Date.UTC(2026, 6, 28, 14, 30);

/** People are known by their name here; their ids are not their names. */
const idOf = (name: string): string => `id-${name}`;
const ownersExcept = (removed: ReadonlySet<string>): Owners => ({
  resolve: async (userId, name) => (userId === idOf(name) ? userId : undefined),
  mayAct: async (userId, ownerId) => userId === ownerId && !removed.has(userId.slice(idOf("").length)),
  listFor: async (userId) => [{ id: userId }],
  nameOf: async (id) => id.slice(idOf("").length),
});
const whoIsCalling: WhoIsCalling = async ({ headers }) => {
  if (headers["sec-fetch-site"] === "cross-site") throw new Problem("foreign-page");
  const name = headers.authorization?.replace("Bearer ", "");
  if (name === undefined) return undefined;
  const caller: Caller = {
    ...{ userId: idOf(name), userName: name, kind: "Browser", credentialId: name, credentialName: name },
    scopes: ["panels", "publish", "read"],
  };
  return caller;
};

type StartOptions = {
  baseUrl?: string;
  name?: string;
  maintainer?: Contact;
  minKeptBytes?: number;
  indexesFolder?: string;
};

export type UnderTest = Awaited<ReturnType<typeof openRegistry>>;
export type Instance = UnderTest["first"];

/** The whole area on real sockets, with archives in a folder that all instances share; the test sets the clock. */
export async function openRegistry(t: TestContext, stage: Stage, { brands = ["tool", "kicad"] } = {}) {
  const clock = { nowMs: START_MS };
  const now = () => clock.nowMs;
  const faults: unknown[] = [];
  const lines: string[] = [];
  /** People whose accounts were removed. */
  const removed = new Set<string>();
  const owners = ownersExcept(removed);
  const onFault = (error: unknown) => void faults.push(error);
  const home = mkdtempSync(join(tmpdir(), "registry-"));
  const { open, discard } = await stage.prepare();
  const sharedBus = stage.openBus ? undefined : await openBus({ now, onFault });
  const connect = stage.openBus ? await stage.openBus() : undefined;

  async function start(more: StartOptions = {}) {
    const database = await open();
    await migrate(database as Database<unknown>, migrations, () => 1);
    const bus = connect ? await connect() : (sharedBus as OpenBus);
    const metrics = createMetrics("test");
    const area = await openRegistryArea({
      ...{ database, bus, now, fetch, metrics, whoIsCalling, owners, onFault },
      settings: {
        ...{ baseUrl: more.baseUrl ?? BASE_URL, home, registryBrands: brands, trustProxy: [] },
        registryName: more.name ?? "Test packages",
        registryMaintainer: more.maintainer,
        quotas: { fileBytes: 1, archiveBytes: 1024 ** 3, packages: 100_000 },
        archives: { kind: "folder", folder: join(home, "archives") },
        indexesFolder: more.indexesFolder,
      },
      ...(more.minKeptBytes === undefined ? {} : { minKeptBytes: more.minKeptBytes }),
      requireInstanceOwner: async (request) => {
        const caller = await whoIsCalling(request);
        if (!caller) throw new Problem("not-signed-in");
        if (caller.kind !== "Browser") throw new Problem("browser-session-needed");
        if (caller.userName !== "owner") throw new Problem("owner-only");
        return caller;
      },
    });
    const app = await createApp({
      onlyDeclaredProblems: true,
      log: createLog({ process: "test", level: "trace", destination: { write: (line) => lines.push(line) } }),
      ...{ metrics, now, readiness: { checks: {}, isDraining: () => false }, trustProxy: [], overHttps: true },
      answerFirst: area.answerFirst,
      apiDocs: { title: "Test", description: "", version: "0", url: BASE_URL },
    });
    await area.addRoutes(app);
    await app.listen({ host: "127.0.0.1", port: 0 });
    let isStopped = false;
    const stop = async () => {
      if (isStopped) return;
      isStopped = true;
      app.server.closeAllConnections();
      await app.close();
      await area.close();
      if (bus !== sharedBus) await bus.close();
      await database.close();
    };
    stops.push(stop);
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    return { url, area, app, database, bus, metrics, stop };
  }

  const stops: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const stop of stops.reverse()) await stop();
    await sharedBus?.close();
    await discard();
    rmSync(home, { recursive: true, force: true });
    assert.deepEqual(faults, []);
  });
  const first = await start();
  const last = stage.instances === 1 ? first : await start();

  return {
    clock,
    faults,
    lines,
    removed,
    home,
    first,
    last,
    start,
    open,
    /** As `fetch`, at an instance; addresses of the registry itself lead there too. */
    get: (path: string, headers: Record<string, string> = {}, method = "GET", at: { url: string } = last) =>
      fetch(`${at.url}${path.replace(BASE_URL, "")}`, { method, headers, redirect: "manual" }),
    async publish(sample: Sample, user = "ada", at: { url: string } = first): Promise<Response> {
      return fetch(`${at.url}/registry/packages`, {
        method: "POST",
        headers: { authorization: `Bearer ${user}`, "content-type": "application/zip" },
        body: new Uint8Array(sampleArchive(sample)),
      });
    },
    setStatus: (identifier: string, version: string, status: string, at: { url: string } = first) =>
      fetch(`${at.url}/registry/packages/${identifier}/versions/${version}`, {
        method: "PATCH",
        headers: { authorization: "Bearer ada", "content-type": "application/json" },
        body: JSON.stringify({ status }),
      }),
    async unpublish(identifier: string, version: string, reason: string): Promise<void> {
      const response = await fetch(`${first.url}/registry/packages/${identifier}/versions/${version}`, {
        method: "DELETE",
        headers: { authorization: "Bearer ada", "content-type": "application/json" },
        body: JSON.stringify({ reason }),
      });
      assert.equal(response.status, 204, await response.text());
    },
  };
}

/** Publishes what must be published. */
export async function published(under: UnderTest, ...samples: Sample[]): Promise<void> {
  for (const sample of samples) {
    const response = await under.publish(sample);
    assert.equal(response.status, 201, await response.clone().text());
  }
}
