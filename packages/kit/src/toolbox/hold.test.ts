import assert from "node:assert/strict";
import { test } from "node:test";
import { createHold, fitsComparison } from "./hold.ts";

test("values are compared by their type: text never equals a number, and what is not a number is in no range", () => {
  assert.ok(fitsComparison({ is: "between", from: 4.5, to: 5.5 }, 4.5));
  assert.ok(fitsComparison({ is: ">=", than: 5 }, 5));
  assert.ok(!fitsComparison({ is: ">", than: 5 }, 5));
  assert.ok(fitsComparison({ is: "<", than: 5 }, 4));
  assert.ok(fitsComparison({ is: "<=", than: 5 }, 5));
  assert.ok(fitsComparison({ is: "=", than: true }, true));
  assert.ok(fitsComparison({ is: "!=", than: "idle" }, "run"));
  for (const value of ["5", null, undefined, Number.NaN, Number.POSITIVE_INFINITY, [5], {}]) {
    assert.ok(!fitsComparison({ is: ">=", than: 0 }, value), String(value));
    assert.ok(!fitsComparison({ is: "=", than: 5 }, value), String(value));
  }
  assert.ok(!fitsComparison({ is: "!=", than: 5 }, undefined), "nothing is not another value");
});

test("it has held when every value of the time fitted; one that does not begins it again", () => {
  const hold = createHold({ is: "between", from: 4, to: 6 }, 2_000, 3_000);
  const taken = [0, 5, 5, 5, 5, 9, 5, 5, 5, 5].map((value, i) => hold.take(i * 500, value));
  assert.deepEqual(taken, [false, false, false, false, false, false, false, false, false, false]);
  assert.equal(hold.read().heldMs, 1_500);
  assert.equal(hold.take(5_000, 5), true);
  hold.take(5_100, 7);
  assert.deepEqual(hold.read(), { heldMs: null, lastMs: 5_100, lastValue: 7 });
});

test("a gap begins it again: nobody knows what was in between; without a time one value is enough", () => {
  const hold = createHold({ is: ">", than: 0 }, 2_000, 3_000);
  assert.equal(hold.take(0, 1), false);
  assert.equal(hold.take(3_001, 1), false);
  assert.equal(hold.read().heldMs, 0);
  assert.equal(hold.take(5_001, 1), true);
  assert.equal(createHold({ is: ">", than: 0 }, 0, 3_000).take(0, 1), true);
});
