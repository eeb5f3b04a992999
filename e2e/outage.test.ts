import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Service, startPostgres, startRedis } from "../scripts/services/index.ts";
import { PROCESS_NAMES, type RunningBackplane, startBackplane } from "./support/backplane.ts";
import { until } from "./support/processes.ts";

type Ready = { ready: boolean; checks: Record<string, string> };

async function readyAt(url: string): Promise<{ status: number; body: Ready }> {
  const response = await fetch(`${url}/ready`);
  return { status: response.status, body: (await response.json()) as Ready };
}

suite("with PostgreSQL and Redis", { concurrency: 1 }, () => {
  const stack = new AsyncDisposableStack();
  let postgres: Service;
  let redis: Service;
  let backplane: RunningBackplane;
  before(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    for (const service of [postgres, redis]) stack.use(service);
    backplane = stack.use(await startBackplane({ env: { DATABASE_URL: postgres.url, REDIS_URL: redis.url } }));
  });
  after(() => stack.disposeAsync());

  test("every process is ready, and the overview names the engines", async () => {
    for (const name of PROCESS_NAMES) assert.equal((await readyAt(backplane.url(name))).status, 200, name);
    const response = await fetch(backplane.url("platform", "/api/overview"));
    const overview = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([overview.database, overview.bus], ["postgres", "redis"]);
  });

  test("while PostgreSQL is down the platform stays up, is not ready, and recovers without a restart", async () => {
    const pid = backplane.pidOf("platform");
    await postgres.stop();
    await until(async () => (await readyAt(backplane.url("platform"))).status === 503, "platform is not ready");
    const { body } = await readyAt(backplane.url("platform"));
    assert.deepEqual([body.ready, body.checks], [false, { database: "failing", bus: "ok" }]);
    assert.equal((await fetch(backplane.url("platform", "/health"))).status, 200);
    const isShown = async () => {
      const overview = await (await fetch(backplane.url("platform", "/api/overview"))).text();
      return /"state":"degraded".*"detail":"database not answering"/.test(overview);
    };
    // The overview's process states may be a second old.
    await until(isShown, "the overview shows the outage");
    await postgres.start();
    await until(async () => (await readyAt(backplane.url("platform"))).status === 200, "platform is ready again");
    assert.equal(backplane.pidOf("platform"), pid);
  });

  test("while Redis is down platform and gateway stay up, are not ready, and recover without a restart", async () => {
    const names = ["platform", "gateway"] as const;
    const pids = names.map((name) => backplane.pidOf(name));
    await redis.kill();
    for (const name of names) {
      const isFailing = async () => (await readyAt(backplane.url(name))).body.checks.bus === "failing";
      await until(isFailing, `${name} reports a failing bus`);
      assert.equal((await readyAt(backplane.url(name))).status, 503);
      assert.equal((await fetch(backplane.url(name, "/health"))).status, 200);
    }
    await redis.start();
    for (const name of names) {
      await until(async () => (await readyAt(backplane.url(name))).status === 200, `${name} is ready again`);
    }
    assert.deepEqual(
      names.map((name) => backplane.pidOf(name)),
      pids,
    );
  });
});
