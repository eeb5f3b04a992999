import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { type TestContext, test } from "node:test";
import type { Backup } from "@backplane/contract/backups";
import type { ProcessReport } from "@backplane/contract/platform";
import type { System } from "@backplane/contract/system";
import type { Database } from "@backplane/kit/database";
import { joinInstances } from "@backplane/kit/instances";
import { createLog } from "@backplane/kit/log";
import { Problem } from "@backplane/kit/problems";
import { readSettings } from "@backplane/kit/settings";
import { VERSION } from "@backplane/kit/version";
import { fastify } from "fastify";
import type { OpenTestDatabase } from "../open-databases.suite.ts";
import { type SystemOptions, serveSystem } from "./system.ts";

const SELF = "rack-1:8790";
const MINUTE_MS = 60_000;
const hangs = () => new Promise<never>(() => {});
const running = (name: ProcessReport["name"]): ProcessReport => ({ name, url: "", port: 1, state: "running" });

const BACKED_UP: Backup = {
  ...{
    id: "b",
    state: "done",
    place: "/b/b.tar",
    startedAt: new Date().toISOString(),
    moment: new Date().toISOString(),
  },
};

const DAY = { day: "2026-11-16", slowestMs: 3, databaseBytes: 4, archiveBytes: 5, fileBytes: 6 };

/** GET /api/system on a real engine. */
export function testSystem(engine: string, open: OpenTestDatabase): void {
  async function start(t: TestContext, change: Partial<SystemOptions> = {}) {
    const database = (await (await open(t))()) as unknown as Database<unknown>;
    const log = createLog({ process: "test", level: "silent", destination: { write: () => {} } });
    const self = { name: SELF, version: VERSION, bus: "in-process", archives: "here" };
    const instances = await joinInstances({ database, self, log, now: Date.now });
    t.after(() => instances.close());
    const app = fastify();
    t.after(() => app.close());
    serveSystem(app as never, {
      ...{ self: SELF, now: Date.now, database, instances, isOfUp: true, timeoutMs: MINUTE_MS },
      settings: readSettings(
        { BASE_URL: "https://bp.example.org", QUOTA_PACKAGES: "10", TRUST_PROXY: "127.0.0.1" },
        tmpdir(),
      ),
      requireInstanceOwner: async ({ headers }) => {
        if (headers.authorization !== "owner") throw new Problem("owner-only");
        return {};
      },
      bus: { engine: "in-process", ping: async () => {} },
      reports: async () => [running("platform"), running("gateway")],
      disk: { check: async () => {} },
      nameOf: async (id) => (id === "id-gone" ? undefined : id.replace("id-", "")),
      panels: { totals: async () => ({ bytes: 500, byBytes: [{ ownerId: "id-ada", bytes: 500 }] }) },
      registry: {
        ping: async () => {},
        totals: async () => ({
          ...{ archiveBytes: 700, versions: 3, byBytes: [{ ownerId: "id-gone", archiveBytes: 700 }] },
          byPackages: [{ ownerId: "id-lab", packages: 9 }],
        }),
      },
      devices: { address: () => "mqtt://127.0.0.1:1883", fault: () => undefined },
      backups: { read: async () => ({ backups: [BACKED_UP] }) },
      history: { read: async () => [DAY] },
      ...change,
    });
    const get = async (authorization = "owner") => {
      const answer = await app.inject({ url: "/api/system", headers: { authorization } });
      return { status: answer.statusCode, system: answer.json() as System };
    };
    return { get };
  }
  const troubles = ({ findings }: System) =>
    findings.filter(({ state, check }) => state !== "ok" && check !== "disk space").map(({ says }) => says);

  test(`${engine}: the owner is told about instances, engines and storage, and nobody else anything`, async (t) => {
    const { get } = await start(t);
    assert.equal((await get("guest")).status, 403);
    const { status, system } = await get();
    assert.equal(status, 200);
    const { version, instances, database, storage, quotas, silent, findings } = system;
    assert.deepEqual([version, silent], [VERSION, []]);
    assert.deepEqual(
      instances?.map((one) => [one.name, one.isThis, one.version, typeof one.startedAt, typeof one.clockOffsetMs]),
      [[SELF, true, VERSION, "string", "number"]],
    );
    assert.equal(typeof instances?.[0]?.answersMs?.at(-1), "number");
    assert.deepEqual(system.history, [DAY]);
    assert.equal(database.engine, engine);
    assert.match(database.version ?? "", /^\d+\.\d+/);
    assert.ok((database.bytes ?? 0) > 0 && (database.migrations ?? 0) > 0 && (database.answerMs ?? -1) >= 0);
    assert.equal(database.connections === undefined, engine === "sqlite");
    assert.deepEqual(storage, { archives: { kind: "folder", bytes: 700, versions: 3 }, files: { bytes: 500 } });
    assert.deepEqual(
      quotas?.map(({ owner, of, used }) => [owner, of, used]),
      [
        ["lab", "packages", 9],
        ["a removed account", "archives", 700],
        ["ada", "files", 500],
      ],
      "the fullest first",
    );
    const [settingsDisagree, ...others] = troubles(system);
    assert.match(settingsDisagree ?? "", /^BASE_URL is public, but GATEWAY_URL and VIEWER_URL are not/);
    assert.deepEqual(others, ["Nearly full quotas: lab: packages 90 %"]);
    assert.ok(findings.some(({ check, state }) => check === "database" && state === "ok"));
  });

  test(`${engine}: what hangs or fails is named with its cost and next step, and the rest is told`, async (t) => {
    let pings = 0;
    const ping = () => {
      pings += 1;
      return hangs();
    };
    const { get } = await start(t, {
      timeoutMs: 50,
      bus: { engine: "redis", ping },
      panels: { totals: hangs },
      disk: { check: async () => Promise.reject(new Problem("disk-full", { detail: "The disk is full." })) },
      devices: { address: () => null, fault: () => "The broker cannot be used (ECONNREFUSED). Start it." },
      reports: async () => [{ ...running("viewer"), state: "unreachable", detail: "no connection" }],
      registry: {
        ping: () =>
          Promise.reject(new Problem("archives-unavailable", { cause: new Error("The S3 store: status 403") })),
        totals: hangs,
      },
    });
    await Promise.all([get(), get()]);
    const { status, system } = await get();
    assert.equal(status, 200);
    // On a busy machine others may be late, too.
    for (const name of ["bus", "quotas", "storage"]) assert.ok(system.silent.includes(name), name);
    for (const says of [
      "The disk is full.",
      "Redis does not answer at REDIS_URL",
      "The store of the archives does not work: The S3 store: status 403",
      "The broker cannot be used (ECONNREFUSED). Start it.",
      "The viewer does not answer on this machine: no connection",
    ]) {
      assert.ok(troubles(system).includes(says), says);
    }
    for (const { state, cost, fix } of system.findings) if (state === "fault") assert.ok(cost && fix);
    assert.equal(system.database.engine, engine);
    assert.equal(pings, 1, "what hangs is not asked again");
  });

  test(`${engine}: the owner is warned when there is no backup to go back to`, async (t) => {
    const backups = { read: async () => ({ backups: [{ ...BACKED_UP, state: "failed" as const }] }) };
    const { get } = await start(t, { backups });
    const { system } = await get();
    assert.ok(troubles(system).includes("No backup is planned, and there is none"), troubles(system).join());
  });

  test(`${engine}: a platform that runs alone does not miss processes that are not on its machine`, async (t) => {
    const reports = async () => [running("platform"), { ...running("gateway"), state: "unreachable" as const }];
    const { get } = await start(t, { isOfUp: false, reports });
    const { system } = await get();
    assert.deepEqual(
      system.processes?.map(({ name }) => name),
      ["platform"],
    );
    assert.ok(!troubles(system).some((says) => says.includes("gateway")));
  });

  test(`${engine}: while the database is away, the owner of the last minutes still sees the page, and nobody else`, async (t) => {
    let nowMs = 1;
    let isAway = false;
    const { get } = await start(t, {
      now: () => nowMs,
      async requireInstanceOwner({ headers }) {
        if (isAway) throw new Problem("database-unavailable");
        if (headers.authorization !== "owner") throw new Problem("owner-only");
        return {};
      },
    });
    assert.deepEqual([(await get()).status, (await get("guest")).status], [200, 403]);
    isAway = true;
    assert.deepEqual([(await get()).status, (await get("guest")).status], [200, 503]);
    nowMs += 21 * MINUTE_MS;
    assert.equal((await get()).status, 503);
  });
}
