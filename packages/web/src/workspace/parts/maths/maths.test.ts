import assert from "node:assert/strict";
import { test } from "node:test";
import { itemOf, lineThrough, medianOf, numbersIn, solve } from "./maths.ts";

test("linear equations are solved, also when the first pivot is zero; those without one answer are not", () => {
  assert.deepEqual(
    solve([
      [0, 2, 6],
      [3, 1, 9],
    ]),
    [2, 3],
  );
  assert.equal(
    solve([
      [1, 2, 3],
      [2, 4, 6],
    ]),
    undefined,
  );
});

test("a line through points, a median, and lists as devices send them", () => {
  assert.deepEqual(lineThrough([0, 1, 2, 3].map((x) => [x, 2 * x - 1] as const)), { slope: 2, at0: -1 });
  assert.equal(medianOf([9, Number.NaN, 1, 4]), 4);
  assert.equal(medianOf([9, 1, 4, 2]), 3);
  assert.ok(Number.isNaN(medianOf([])));
  assert.deepEqual(numbersIn([1, null, "2", 3]), [1, Number.NaN, Number.NaN, 3]);
  assert.deepEqual(numbersIn("12"), []);
  assert.ok(Number.isNaN(itemOf({ 0: 1 }, 0)));
});
