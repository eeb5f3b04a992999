import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_VISITED } from "./limits.ts";
import { after, arrive, before, NOWHERE, redirected, type Visited } from "./visited.ts";

const through = (...urls: string[]): Visited => urls.reduce((list, url) => arrive(list, url, 0), NOWHERE);

test("back and forward go through the pages that were shown", () => {
  const there = through("a", "b", "c");
  assert.deepEqual([before(there), after(there)], ["b", undefined]);
  const back = arrive(there, "b", -1);
  assert.deepEqual([before(back), after(back)], ["a", "c"]);
  const again = arrive(back, "c", 1);
  assert.deepEqual(again, there);
});

test("a new page ends what was forward", () => {
  const there = arrive(arrive(through("a", "b", "c"), "b", -1), "d", 0);
  assert.deepEqual([there.urls, after(there)], [["a", "b", "d"], undefined]);
});

test("somebody else's page between the click on back and its answer is a new page", () => {
  assert.deepEqual(arrive(through("a", "b"), "x", -1).urls, ["a", "b", "x"]);
});

test("the same page again is no second place", () => {
  assert.deepEqual(through("a", "a", "a").urls, ["a"]);
});

test("back does not end in a page that leads on by itself", () => {
  const there = redirected(through("a", "b"), "b", "b2");
  assert.deepEqual([there.urls, before(there)], [["a", "b2"], "a"]);
});

test("nothing was visited yet: no way back", () => {
  assert.deepEqual([before(NOWHERE), after(NOWHERE)], [undefined, undefined]);
});

test("the list is bounded", () => {
  const there = through(...Array.from({ length: 3 * MAX_VISITED }, (_, at) => `${at}`));
  assert.equal(there.urls.length, MAX_VISITED);
  assert.equal(before(there), `${3 * MAX_VISITED - 2}`);
});
