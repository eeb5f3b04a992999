import assert from "node:assert/strict";
import { test } from "node:test";
import { coalesce } from "./catalogue.ts";

test("ten calls at once cost two runs, and each gets one that began after the call", async () => {
  let [committed, runs] = [0, 0];
  const gates: (() => void)[] = [];
  let seen = 0;
  const refresh = coalesce(async () => {
    runs += 1;
    const read = committed;
    await new Promise<void>((resolve) => gates.push(resolve));
    seen = read;
  });
  const calls = Array.from({ length: 10 }, async () => {
    committed += 1;
    const own = committed;
    await refresh();
    assert.ok(seen >= own);
  });
  gates.shift()?.();
  await new Promise(setImmediate);
  gates.shift()?.();
  await Promise.all(calls);
  assert.deepEqual([runs, seen], [2, 10]);
});

test("a failed run fails for its callers only, and the next call starts a new one", async () => {
  let runs = 0;
  const refresh = coalesce(async () => {
    runs += 1;
    if (runs === 1) throw new Error("away");
  });
  const [first, second] = [refresh(), refresh()];
  await assert.rejects(first, /away/);
  await second;
  await refresh();
  assert.equal(runs, 3);
});
