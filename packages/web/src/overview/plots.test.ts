import assert from "node:assert/strict";
import { test } from "node:test";
import { ACTIVITY_MINUTES, type Plot } from "@backplane/contract/platform";
import { plotsOf } from "./plots.ts";

function plot(done: Record<number, number>, failed: Record<number, number> = {}): Plot {
  const filled = (counts: Record<number, number>) =>
    Array.from({ length: ACTIVITY_MINUTES }, (_, minute) => counts[minute] ?? 0);
  return { done: filled(done), failed: filled(failed) };
}

const idle = plot({});

test("a bar is a minute; the tallest has the full height, and a failure makes it red", () => {
  const evals = plot({ 0: 1, 59: 4 }, { 30: 1 });
  const [codes, signIns, , shown] = plotsOf({
    until: "",
    codes: idle,
    signIns: plot({ 3: 2 }),
    publishes: idle,
    evals,
  });
  assert.deepEqual([codes?.total, codes?.bars, codes?.failed], [0, [], undefined]);
  assert.deepEqual([signIns?.title, signIns?.total], ["Sign-ins", 2]);
  assert.deepEqual(shown?.bars, [
    { x: 0, y: 42, height: 13, isBad: false },
    { x: 120, y: 42, height: 13, isBad: true },
    { x: 236, y: 3, height: 52, isBad: false },
  ]);
  assert.deepEqual([shown?.total, shown?.failed], [5, "1 failed"]);
});
