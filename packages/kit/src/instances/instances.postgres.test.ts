import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createTestDatabase } from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import { migrate, openDatabase } from "../database/index.ts";
import { createLog } from "../log.ts";
import type { Instance } from "./cluster-faults.ts";
import { joinInstances, readInstances } from "./instances.ts";
import { migrations } from "./migrations.ts";

async function prepare(t: TestContext) {
  const fresh = await createTestDatabase();
  const database = await openDatabase<unknown>({ url: fresh.url, home: "/", onLostConnection: () => {} });
  t.after(async () => {
    await database.close();
    await fresh[Symbol.asyncDispose]();
  });
  await migrate(database, migrations, () => 1);
  const join = async (name: string, { bus = "redis", archives = "s3", aheadMs = 0 } = {}) => {
    const lines: string[] = [];
    const log = createLog({ process: "test", level: "info", destination: { write: (line) => lines.push(line) } });
    const now = () => Date.now() + aheadMs;
    const self = { name, bus, archives, version: "0.2.0" };
    const vitals = () => ({ connected: 3, memoryBytes: 1_000 });
    const instances = await joinInstances({ database, self, vitals, log, now, beatEveryMs: 20 });
    return { instances, lines };
  };
  const names = async () => (await readInstances(database)).map(({ name }) => name);
  return { database, join, names };
}

test("instances see each other until they stop, and a process replaces the one that ran at its place", async (t) => {
  const { join, names } = await prepare(t);
  const first = await join("a:1");
  const second = await join("b:1");
  assert.deepEqual(await names(), ["a:1", "b:1"]);
  const { startedAtMs, clockOffsetMs, answersMs, ...told } = (await second.instances.read())[0] as Instance;
  assert.deepEqual(told, {
    ...{ name: "a:1", bus: "redis", archives: "s3", version: "0.2.0", connected: 3, memoryBytes: 1_000 },
  });
  assert.deepEqual([typeof startedAtMs, typeof clockOffsetMs, typeof answersMs?.at(-1)], Array(3).fill("number"));
  await first.instances.close();
  assert.deepEqual(await names(), ["b:1"]);
  const restarted = await join("b:1");
  await second.instances.close();
  await restarted.instances.close();
  assert.deepEqual(await names(), []);
});

test("settings that do not suit several instances are logged by all of them, once, and told by /ready while they last", async (t) => {
  const { join } = await prepare(t);
  const first = await join("a:1", { bus: "in-process", archives: "folder-1" });
  await first.instances.check();
  const second = await join("b:1", { bus: "in-process", archives: "folder-2" });
  await assert.rejects(second.instances.check(), { detail: /2 of them without Redis.*archives in 2 places/ });
  const isTold = () =>
    first.instances.check().then(
      () => false,
      () => true,
    );
  await until("the first one sees the second one", isTold);
  await second.instances.close();
  await until("the first one is alone again", async () => !(await isTold()));
  await first.instances.close();
  for (const { lines } of [first, second]) {
    assert.equal(lines.filter((line) => /"level":"error".*without Redis/.test(line)).length, 1);
    assert.equal(lines.filter((line) => /"level":"error".*archives in 2 places/.test(line)).length, 1);
  }
  assert.match(first.lines.at(-1) ?? "", /the instances agree again/);
});

test("clocks that differ by more than two seconds are logged", async (t) => {
  const { join } = await prepare(t);
  const first = await join("a:1", { aheadMs: -1_500 });
  const second = await join("b:1", { aheadMs: 1_500 });
  await until("a slow machine has compared the clocks", () => second.lines.length > 0);
  assert.match(
    second.lines[0] ?? "",
    /"level":"error".*The clocks of 2 platforms differ by [23]\.\d s; at most 2 s is safe/,
  );
  await first.instances.close();
  await second.instances.close();
});
