import assert from "node:assert/strict";
import { test } from "node:test";
import { rowAfter } from "./list-keys.ts";

test("arrows move between rows and stop at the last; above the first is the search", () => {
  assert.equal(rowAfter("ArrowDown", 0, 3), 1);
  assert.equal(rowAfter("ArrowDown", 2, 3), 2);
  assert.equal(rowAfter("ArrowUp", 2, 3), 1);
  assert.equal(rowAfter("ArrowUp", 0, 3), "before");
  assert.equal(rowAfter("Home", 2, 3), 0);
  assert.equal(rowAfter("End", 0, 3), 2);
  assert.equal(rowAfter("Tab", 0, 3), undefined);
});
