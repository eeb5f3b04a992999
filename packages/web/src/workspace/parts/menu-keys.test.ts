import assert from "node:assert/strict";
import { test } from "node:test";
import { menuMove } from "./menu-keys.ts";

const labels = ["Split right", "Split below", "Rename", "Close"];

test("arrow keys wrap around, Home and End go to the ends", () => {
  assert.equal(menuMove("ArrowDown", 3, labels), 0);
  assert.equal(menuMove("ArrowUp", 0, labels), 3);
  assert.equal(menuMove("Home", 2, labels), 0);
  assert.equal(menuMove("End", 0, labels), 3);
});

test("a letter moves to the next item that starts with it", () => {
  assert.equal(menuMove("s", 0, labels), 1);
  assert.equal(menuMove("s", 1, labels), 0);
  assert.equal(menuMove("C", 0, labels), 3);
});

test("other keys do nothing", () => {
  assert.equal(menuMove("x", 0, labels), undefined);
  assert.equal(menuMove("Tab", 0, labels), undefined);
  assert.equal(menuMove("ArrowDown", 0, []), undefined);
});
