import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Problem } from "@backplane/kit/problems";
import type { Stage } from "../workspaces/stages.suite.ts";
import { openStage, until } from "../workspaces/workspaces-under-test.suite.ts";
import { createUsage, readFileTotals } from "./usage.ts";

const MAX_BYTES = 100;
const isQuotaReached = (error: unknown) => error instanceof Problem && error.code === "quota-reached";

/** No owner has more than the quota, whatever happens at the same time on several instances. */
export function testUsage(stage: Stage): void {
  const it = (name: string, work: (t: TestContext) => Promise<void>) => test(`${stage.name}: ${name}`, work);
  async function open(t: TestContext) {
    const { first, last, clock, onFault } = await openStage(t, stage);
    /** Ada's. */
    const disk = { bytes: 0, counted: 0 };
    const measure = async (ownerId: string) => {
      disk.counted += 1;
      return ownerId === "ada" ? disk.bytes : 0;
    };
    const [one, other] = [first, last].map(({ dependencies: { database, now } }) =>
      createUsage({ database, now, onFault, measure, maxBytes: MAX_BYTES }),
    ) as [ReturnType<typeof createUsage>, ReturnType<typeof createUsage>];
    const write = (bytes: number) => async () => {
      disk.bytes += bytes;
    };
    return { one, other, disk, write, clock, database: first.dependencies.database };
  }

  it("of many writers at the same time, on two instances, exactly as many succeed as there is room for", async (t) => {
    const { one, other, disk, write, database } = await open(t);
    assert.deepEqual(await readFileTotals(database, 1), { bytes: 0, byBytes: [] });
    const writers = Array.from({ length: 24 }, (_, n) => (n % 2 ? one : other).changing("ada", 9, write(9)));
    const outcomes = await Promise.allSettled([...writers, one.changing("bob", MAX_BYTES, async () => {})]);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 11 + 1);
    for (const outcome of outcomes) if (outcome.status === "rejected") assert.ok(isQuotaReached(outcome.reason));
    assert.equal(disk.bytes, 99);
    assert.equal(await one.read("ada"), 99);
    const totals = { bytes: 99 + MAX_BYTES, byBytes: [{ ownerId: "bob", bytes: MAX_BYTES }] };
    assert.deepEqual(await readFileTotals(database, 1), totals, "only as many owners as asked for");
  });

  it("what fails or is deleted gives its bytes back", async (t) => {
    const { one, other, write } = await open(t);
    const full = new Error("no space on the disk");
    await assert.rejects(
      one.changing("ada", MAX_BYTES, () => Promise.reject(full)),
      full,
    );
    await one.changing("ada", MAX_BYTES, write(MAX_BYTES));
    await assert.rejects(other.changing("ada", 1, write(1)), isQuotaReached);
    await other.changing("ada", -40, write(-40));
    await one.changing("ada", 40, write(40));
    await one.changing("ada", -10 * MAX_BYTES, write(-MAX_BYTES));
    assert.equal(await one.read("ada"), 0, "never below nothing");
  });

  it("files that changed by hand are counted at the first use, and again when there seems to be no room", async (t) => {
    const { one, other, disk, write, clock } = await open(t);
    disk.bytes = 95;
    await assert.rejects(one.changing("ada", 6, write(6)), isQuotaReached);
    disk.bytes = 10;
    await assert.rejects(other.changing("ada", 6, write(6)), isQuotaReached);
    assert.equal(disk.counted, 1, "not for every refusal");
    clock.nowMs += 60_001;
    await other.changing("ada", 6, write(6));
    assert.equal(await one.read("ada"), 16);
  });

  it("counting forgets no file that is being written, and what a killed process began only after a while", async (t) => {
    const { one, other, disk, write, clock } = await open(t);
    await one.changing("ada", 10, write(10));
    clock.nowMs += 60_001;
    // Written by a process that is killed before it is done: it never ends.
    void one.changing("ada", 60, () => new Promise(() => {}));
    await until("the other one has begun", async () => (await other.read("ada")) === 70);
    await assert.rejects(other.changing("ada", 31, write(31)), isQuotaReached);
    assert.equal(await other.read("ada"), 70);
    clock.nowMs += 60_001;
    await other.changing("ada", 31, write(31));
    assert.deepEqual([await one.read("ada"), disk.bytes], [41, 41]);
  });
}
