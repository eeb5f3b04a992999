import assert from "node:assert/strict";
import { test } from "node:test";
import { exponentAtTheEnd, exponentOf } from "./exponent.ts";

const SIZES = [10, 100, 1_000, 10_000];
const growing = (costOf: (size: number) => number) => SIZES.map((size) => ({ size, cost: costOf(size) }));
const near = (value: number, wanted: number) => assert.ok(Math.abs(value - wanted) < 1e-9, `${value}, not ${wanted}`);

test("the exponent is that of the power by which a cost grows", () => {
  near(exponentOf(growing(() => 7)), 0);
  near(exponentOf(growing((size) => 3 * size)), 1);
  near(exponentOf(growing((size) => size ** 2 / 5)), 2);
  near(exponentOf(growing((size) => 1 / size)), -1);
});

test("a part that grows faster than the rest shows between the two largest sizes", () => {
  const costs = growing((size) => 1_000 * size + size ** 2 / 10);
  assert.ok(exponentOf(costs) < 1.1);
  assert.ok(exponentAtTheEnd(costs) > 1.2);
});
