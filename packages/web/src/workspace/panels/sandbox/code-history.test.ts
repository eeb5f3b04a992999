import assert from "node:assert/strict";
import { test } from "node:test";
import { look, MAX_ENTRIES, NO_HISTORY, remember } from "./code-history.ts";

test("arrow up goes back through what was typed, arrow down comes forward to what is being typed", () => {
  const history = remember(remember(NO_HISTORY, "one"), "two");
  const first = look(history, "older", "half");
  assert.equal(first?.text, "two");
  const second = look(first?.history ?? history, "older", "two");
  assert.equal(second?.text, "one");
  assert.equal(look(second?.history ?? history, "older", "one"), undefined);
  const back = look(second?.history ?? history, "newer", "one");
  assert.equal(back?.text, "two");
  assert.equal(look(back?.history ?? history, "newer", "two")?.text, "half");
  assert.equal(look(history, "newer", "half"), undefined);
});

test("the same code again is kept once, and only so many are kept", () => {
  let history = remember(remember(NO_HISTORY, "same"), "same");
  assert.deepEqual(history.entries, ["same"]);
  for (let n = 0; n < MAX_ENTRIES + 10; n += 1) history = remember(history, String(n));
  assert.equal(history.entries.length, MAX_ENTRIES);
});
