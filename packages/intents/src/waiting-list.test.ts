import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createExpiryOrder } from "./waiting-list.ts";

test("each entry is due once, not before its time and at most a quarter of a second after it", () => {
  const order = createExpiryOrder();
  order.add("a", 1_000);
  order.add("b", 1_001);
  order.add("b", 1_001);
  assert.deepEqual(order.takeDue(999), []);
  assert.deepEqual(order.takeDue(1_000), ["a"]);
  assert.deepEqual(order.takeDue(1_000), []);
  assert.deepEqual(order.takeDue(1_251), ["b"]);
  assert.deepEqual(order.takeDue(1e15), []);
});

test("a removed entry is not due", () => {
  const order = createExpiryOrder();
  order.add("a", 1_000);
  order.add("b", 1_000);
  order.remove("a", 1_000);
  order.remove("nobody", 5_000);
  assert.deepEqual(order.takeDue(2_000), ["b"]);
});

test("in any order of adding and looking, all entries are due in time", () => {
  const times = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(times, fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 10 }), (ends, waits) => {
      const order = createExpiryOrder();
      const left = new Map(ends.map((atMs, i) => [String(i), atMs]));
      for (const [item, atMs] of left) order.add(item, atMs);
      let nowMs = 0;
      for (const waitMs of waits) {
        nowMs += waitMs;
        for (const item of order.takeDue(nowMs)) {
          assert.ok((left.get(item) ?? Number.POSITIVE_INFINITY) <= nowMs);
          left.delete(item);
        }
        for (const atMs of left.values()) assert.ok(atMs > nowMs - 250);
      }
    }),
  );
});
