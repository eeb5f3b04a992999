import assert from "node:assert/strict";
import { test } from "node:test";
import { OVERSCAN_ROWS, ROW_PX } from "./limits.ts";
import { isAtEnd, rangeOf, rowFor, scrollFor, type Viewport } from "./window.ts";

const view = (scrollTop: number, height = 10 * ROW_PX): Viewport => ({ scrollTop, height, rowPx: ROW_PX });

test("of any number of lines, only those in view and a few around them are drawn", () => {
  for (const count of [0, 1, 10, 11, 2_000, 1_000_000]) {
    for (const scrollTop of [-50, 0, 5, 500, count * ROW_PX, count * ROW_PX * 2]) {
      const { first, end } = rangeOf(view(scrollTop), count);
      assert.ok(0 <= first && first <= end && end <= count, `${count} at ${scrollTop}: ${first} to ${end}`);
      assert.ok(end - first <= 11 + 2 * OVERSCAN_ROWS);
    }
  }
});

test("every line in view is drawn", () => {
  const { first, end } = rangeOf(view(1_000 * ROW_PX + 7), 2_000);
  assert.ok(first <= 1_000 && end >= 1_011);
});

test("a list that became shorter is drawn to its end, not past it", () => {
  const { first, end } = rangeOf(view(1_990 * ROW_PX), 20);
  assert.deepEqual([first, end], [0, 20]);
});

test("at the end is where the next line is followed", () => {
  assert.equal(isAtEnd(view(1_990 * ROW_PX), 2_000), true);
  assert.equal(isAtEnd(view(1_990 * ROW_PX - 0.5), 2_000), true);
  assert.equal(isAtEnd(view(1_989 * ROW_PX), 2_000), false);
  assert.equal(isAtEnd(view(0), 3), true);
});

test("a chosen line is scrolled into view, by no more than needed", () => {
  assert.equal(scrollFor(view(100 * ROW_PX), 105), 100 * ROW_PX);
  assert.equal(scrollFor(view(100 * ROW_PX), 99), 99 * ROW_PX);
  assert.equal(scrollFor(view(100 * ROW_PX), 110), 101 * ROW_PX);
});

test("keys go through the lines and stop at both ends", () => {
  const at = view(100 * ROW_PX);
  assert.equal(rowFor("ArrowUp", -1, 2_000, at), 109);
  assert.equal(rowFor("ArrowDown", 5, 2_000, at), 6);
  assert.equal(rowFor("PageUp", 5, 2_000, at), 0);
  assert.equal(rowFor("PageDown", 5, 2_000, at), 14);
  assert.equal(rowFor("Home", 5, 2_000, at), 0);
  assert.equal(rowFor("End", 5, 2_000, at), 1_999);
  assert.equal(rowFor("ArrowDown", 1_999, 2_000, at), 1_999);
  assert.equal(rowFor("a", 5, 2_000, at), undefined);
  assert.equal(rowFor("Home", -1, 0, at), undefined);
});
