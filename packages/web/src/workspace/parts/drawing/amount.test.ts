import assert from "node:assert/strict";
import { test } from "node:test";
import { amountOf, luminanceOf, readRgb } from "./amount.ts";

test("colours are read as browsers write them", () => {
  assert.deepEqual(readRgb("rgb(1, 2, 3)"), [1, 2, 3]);
  assert.deepEqual(readRgb("color(srgb 1 0.2 0)"), [255, 51, 0]);
});

test("the ink on every amount has a contrast of 4.5:1 or more, from light to teal and from dark to teal", () => {
  const pairs = [
    [readRgb("rgb(243, 244, 246)"), readRgb("rgb(15, 118, 125)")],
    [readRgb("rgb(19, 21, 25)"), readRgb("rgb(94, 208, 214)")],
  ] as const;
  for (const [none, all] of pairs)
    for (let share = -0.5; share <= 1.5; share += 0.01) {
      const { ground, ink } = amountOf(share, none, all);
      const [a, b] = [luminanceOf(readRgb(ground)), ink === "#fff" ? 1 : 0];
      assert.ok((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) >= 4.5, `${share} ${ground} ${ink}`);
    }
});
