import assert from "node:assert/strict";
import { test } from "node:test";
import { openBus } from "./bus/index.ts";
import { createTickets } from "./tickets.ts";

test("a ticket is taken once, or kept alive by each use until it is not used for its life", async () => {
  let nowMs = 1_000;
  const bus = await openBus({ now: () => nowMs, onFault: () => {} });
  try {
    const tickets = createTickets<{ who: string }>(bus.claims, { name: "test", lifeMs: 100 });
    const once = await tickets.issue({ who: "ada" });
    assert.deepEqual(await tickets.take(once), { who: "ada" });
    assert.deepEqual([await tickets.take(once), await tickets.keep(once)], [undefined, undefined]);
    const kept = await tickets.issue({ who: "eve" });
    for (let use = 0; use < 5; use += 1) {
      nowMs += 99;
      assert.deepEqual(await tickets.keep(kept), { who: "eve" });
    }
    nowMs += 100;
    assert.equal(await tickets.keep(kept), undefined);
    for (const wrong of [undefined, null, 1, "", "x", "x".repeat(43)]) {
      assert.deepEqual([await tickets.take(wrong), await tickets.keep(wrong)], [undefined, undefined]);
    }
  } finally {
    await bus.close();
  }
});
