import assert from "node:assert/strict";
import { readdirSync, truncateSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { sampleArchive } from "../packages/registry/src/archives/samples.suite.ts";
import { type Service, startPostgres, startRedis } from "../scripts/services/index.ts";
import { PROCESS_NAMES, type RunningBackplane, startBackplane } from "./support/backplane.ts";
import { type Person, signInAs } from "./support/person.ts";
import { OWNER, startPlatform } from "./support/platform.ts";
import { until } from "./support/processes.ts";

type Ready = {
  ready: boolean;
  checks: Record<string, string>;
  reasons: Record<string, string>;
  degraded: string[];
};

async function readyAt(url: string): Promise<{ status: number; body: Ready }> {
  const response = await fetch(`${url}/ready`);
  return { status: response.status, body: (await response.json()) as Ready };
}

suite("with PostgreSQL and Redis", { concurrency: 1 }, () => {
  const stack = new AsyncDisposableStack();
  let postgres: Service;
  let redis: Service;
  let databaseUrl: URL;
  let backplane: RunningBackplane;
  let owner: Person;
  before(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    for (const service of [postgres, redis]) stack.use(service);
    // The server of the tests accepts any password.
    databaseUrl = new URL(postgres.url);
    databaseUrl.password ||= "c4nary";
    const env = { DATABASE_URL: databaseUrl.href, REDIS_URL: redis.url, BACKPLANE_OWNER_PASSWORD: OWNER.password };
    backplane = stack.use(await startBackplane({ env }));
    owner = await signInAs(backplane.url("platform"));
  });
  after(() => stack.disposeAsync());

  test("every process is ready, and the overview names the engines", async () => {
    for (const name of PROCESS_NAMES) assert.equal((await readyAt(backplane.url(name))).status, 200, name);
    const response = await owner.call(backplane.url("platform"), "/api/overview");
    const overview = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([overview.database, overview.bus], ["postgres", "redis"]);
  });

  test("a second platform without Redis and with archives of its own is told by both, as long as it runs", async () => {
    const FAULTS = /2 platforms use this database, 1 of them without Redis.* but keep archives in 2 places/;
    {
      await using second = await startPlatform({ DATABASE_URL: postgres.url });
      for (const url of [second.url, backplane.url("platform")]) {
        await until(async () => FAULTS.test((await readyAt(url)).body.reasons.instances ?? ""), "/ready tells it");
        assert.equal((await readyAt(url)).status, 200);
      }
      const owner = await signInAs(backplane.url("platform"));
      const overview = async () => (await owner.call(backplane.url("platform"), "/api/overview")).text();
      await until(async () => FAULTS.test(await overview()), "the overview tells it");
      for (const output of [second.output(), backplane.logOf("platform")]) {
        for (const words of ["1 of them without Redis", "archives in 2 places"]) {
          assert.match(output, new RegExp(`"level":"error".*2 platforms use this database.*${words}`));
        }
      }
    }
    await until(async () => (await readyAt(backplane.url("platform"))).body.degraded.length === 0, "it is alone again");
  });

  test("while PostgreSQL is down the platform stays up, is not ready, and recovers without a restart", async () => {
    const pid = backplane.pidOf("platform");
    await postgres.stop();
    await until(async () => (await readyAt(backplane.url("platform"))).status === 503, "platform is not ready");
    const { body } = await readyAt(backplane.url("platform"));
    assert.deepEqual(
      [body.ready, body.checks],
      [false, { database: "failing", disk: "ok", bus: "ok", instances: "ok", devices: "ok" }],
    );
    assert.equal((await fetch(backplane.url("platform", "/health"))).status, 200);
    const isShown = async () => {
      const overview = await (await owner.call(backplane.url("platform"), "/api/overview")).text();
      return /"state":"degraded".*"detail":"database not answering"/.test(overview);
    };
    // The overview's process states may be a second old.
    await until(isShown, "the overview shows the outage");
    await postgres.start();
    await until(async () => (await readyAt(backplane.url("platform"))).status === 200, "platform is ready again");
    assert.equal(backplane.pidOf("platform"), pid);
  });

  test("a platform that ends while PostgreSQL is down says so without its password, comes back with it, and the others name it meanwhile", async () => {
    const { program, url } = backplane;
    await postgres.stop();
    const printedBefore = program.output.length;
    process.kill(backplane.pidOf("platform"), "SIGKILL");
    for (const name of ["gateway", "watchdog", "viewer"] as const) {
      await until(async () => (await readyAt(url(name))).body.degraded.includes("platform"), `${name} names it`);
      assert.equal((await readyAt(url(name))).status, 200, name);
    }
    const failures = () => program.output.slice(printedBefore).match(/platform +No PostgreSQL answers/g)?.length ?? 0;
    // Five used to be the limit; that many take most of a minute.
    await until(() => failures() >= 6, "starts have failed");
    assert.match(program.output, /No PostgreSQL answers at DATABASE_URL\. Start it, or correct the address\./);
    for (const text of [program.output, backplane.logOf("platform")]) assert.ok(!text.includes(databaseUrl.password));
    await postgres.start();
    await until(
      async () => (await readyAt(url("platform")).catch(() => undefined))?.status === 200,
      "platform is back",
    );
    for (const name of PROCESS_NAMES) {
      await until(async () => (await readyAt(url(name))).body.degraded.length === 0, `${name} misses nothing`);
    }
  });

  test("while Redis is down platform and gateway stay up and name it, only the gateway is not ready, and both recover without a restart", async () => {
    const names = ["platform", "gateway"] as const;
    const pids = names.map((name) => backplane.pidOf(name));
    await redis.kill();
    for (const name of names) {
      const isFailing = async () => (await readyAt(backplane.url(name))).body.checks.bus === "failing";
      await until(isFailing, `${name} reports a failing bus`);
      const { status, body } = await readyAt(backplane.url(name));
      assert.deepEqual([status, body.degraded], [name === "platform" ? 200 : 503, ["bus"]]);
      assert.equal((await fetch(backplane.url(name, "/health"))).status, 200);
    }
    await signInPublishAndRead(backplane.url("platform"));
    await redis.start();
    for (const name of names) {
      await until(async () => (await readyAt(backplane.url(name))).body.degraded.length === 0, `${name} has recovered`);
    }
    assert.deepEqual(
      names.map((name) => backplane.pidOf(name)),
      pids,
    );
  });
});

test("a half upload of a killed platform is gone after the next start; with its database lost beside archives it does not start", async () => {
  await using platform = await startPlatform();
  const key = await signInPublishAndRead(platform.url);
  const upload = request(`${platform.url}/registry/packages`, {
    method: "POST",
    headers: { "content-type": "application/zip", "content-length": 1_000, "x-api-key": key },
  });
  upload.on("error", () => {}).write("half");
  const uploads = () => readdirSync(join(platform.home, "uploads"));
  await until(() => uploads().length === 1, "the upload has begun");
  await platform.kill();
  assert.equal(uploads().length, 1);
  await platform.start();
  assert.deepEqual(uploads(), []);

  await platform.kill("SIGTERM");
  const database = join(platform.home, "backplane.db");
  truncateSync(database, 0);
  for (const _start of [1, 2]) {
    await assert.rejects(platform.start(), (error: Error) => {
      assert.ok(error.message.includes(`The database ${database} is empty, but `), error.message);
      return true;
    });
  }
});

/** Returns the API key. */
async function signInPublishAndRead(url: string): Promise<string> {
  const owner = await signInAs(url);
  const made = await owner.call(url, "/auth/api-keys", {
    method: "POST",
    body: { name: "p", scopes: ["read", "publish"] },
  });
  const { key } = (await made.json()) as { key: string };
  const identifier = "org.example.outage";
  const published = await fetch(`${url}/registry/packages`, {
    method: "POST",
    headers: { "content-type": "application/zip", "x-api-key": key },
    body: new Uint8Array(sampleArchive({ identifier })),
  });
  assert.equal(published.status, 201, await published.text());
  const read = await fetch(`${url}/registry/packages/${identifier}`);
  assert.equal(read.status, 200, await read.text());
  return key;
}
