import assert from "node:assert/strict";
import { test } from "node:test";
import { neighbourOf, splitAt } from "./neighbours.ts";

// left | top right
//      | low right
const leaves = new Map([
  ["left", { x: 0, y: 0, width: 100, height: 200 }],
  ["top", { x: 108, y: 0, width: 100, height: 120 }],
  ["low", { x: 108, y: 128, width: 100, height: 72 }],
]);

test("a neighbour is the nearest panel at that side, with the longest edge in common", () => {
  assert.equal(neighbourOf(leaves, "left", "right"), "top");
  assert.equal(neighbourOf(leaves, "low", "up"), "top");
  assert.equal(neighbourOf(leaves, "low", "left"), "left");
  assert.equal(neighbourOf(leaves, "top", "down"), "low");
});

test("at the edge of the workspace there is none", () => {
  assert.equal(neighbourOf(leaves, "left", "left"), undefined);
  assert.equal(neighbourOf(leaves, "top", "up"), undefined);
  assert.equal(neighbourOf(leaves, "gone", "up"), undefined);
});

test("a side is asked for as a direction and a position", () => {
  assert.deepEqual(splitAt("left"), { direction: "horizontal", position: "before" });
  assert.deepEqual(splitAt("down"), { direction: "vertical", position: "after" });
});
