import assert from "node:assert/strict";
import { test } from "node:test";
import { createPending } from "./buckets.ts";

test("the history of one workspace has 5,000 series; many workspaces share 20,000, and one that leaves makes room", () => {
  const pending = createPending();
  const values = Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`f${n}`, n]));
  let tMs = 0;
  /** How many of its values are kept. */
  const send = (workspaceId: string): number => {
    tMs += 1_000;
    pending.of(workspaceId)({ device: "d", capability: "c", tMs, values });
    return pending.take([1]).length;
  };
  const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
  const kept = names.map(send);
  assert.deepEqual(kept.slice(0, 5), [5_000, 5_000, 5_000, 5_000, 4_000]);
  assert.equal(kept.at(-1), 2_000);
  assert.equal(send("a"), 5_000, "what is there already goes on");
  for (const name of names) pending.leave(name);
  assert.equal(send("k"), 5_000);
});

test("while nothing can be written, the oldest go, and that takes no longer the more have gone", () => {
  const pending = createPending();
  const values = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, n]));
  const add = pending.of("w");
  const send = (tMs: number) => add({ device: "d", capability: "c", tMs, values });
  const cpuMs = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const seconds = (from: number, to: number) => () => {
    for (let second = from; second < to; second += 1) send(second * 1_000);
  };
  const filling = cpuMs(seconds(0, 10));
  const dropping = cpuMs(seconds(10, 30));
  assert.deepEqual(new Set(pending.take([1]).map(({ atS }) => atS)), new Set([20, 21, 22, 23, 24, 25, 26, 27, 28, 29]));
  assert.ok(dropping < 10 * filling, `${filling} ms, then ${dropping} ms for twice as many`);
});

test("a second that is not over is left until it is, and is written once", () => {
  const pending = createPending();
  const add = pending.of("w");
  const send = (tMs: number, x: number) => add({ device: "d", capability: "c", tMs, values: { x } });
  const take = (beforeS?: number) => pending.take([1], beforeS).map(({ atS, n, sum }) => ({ atS, n, sum }));
  send(1_500, 1);
  send(2_100, 10);
  assert.deepEqual(take(2), [{ atS: 1, n: 1, sum: 1 }]);
  send(2_900, 20);
  assert.ok(pending.size > 0);
  assert.deepEqual(take(2), []);
  assert.deepEqual(take(3), [{ atS: 2, n: 2, sum: 30 }]);
  send(3_100, 5);
  assert.deepEqual(take(), [{ atS: 3, n: 1, sum: 5 }], "whoever reads gets all");
  assert.deepEqual(take(), []);
});
