import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedMap } from "./bounded-map.ts";

test("at least the last `maxEntries` entries are there, at most twice as many", () => {
  const map = new BoundedMap<number, string>({ maxEntries: 10 });
  for (let key = 0; key < 1_000; key += 1) {
    map.set(key, `value ${key}`);
    for (let recent = Math.max(0, key - 9); recent <= key; recent += 1)
      assert.equal(map.get(recent), `value ${recent}`);
    assert.ok(map.size <= 20);
  }
  assert.equal(map.get(0), undefined);
});

test("an entry that is set again counts as new", () => {
  const map = new BoundedMap<string, number>({ maxEntries: 2 });
  for (let round = 0; round < 10; round += 1) {
    map.set("kept", round);
    map.set(`other ${round}`, round);
    assert.equal(map.get("kept"), round);
  }
});

test("an entry lives for `maxAgeMs` at least and twice that at most", () => {
  let nowMs = 0;
  const map = new BoundedMap<string, string>({ maxEntries: 10, maxAgeMs: 1_000, now: () => nowMs });
  nowMs = 900;
  map.set("a", "a");
  nowMs = 1_899;
  assert.equal(map.get("a"), "a");
  nowMs = 2_900;
  assert.equal(map.get("a"), undefined);
  map.set("b", "b");
  nowMs = 20_000;
  assert.equal(map.get("b"), undefined);
});

test("a clock that is set back by a day makes no entry live a day longer", () => {
  let nowMs = 86_400_000;
  const map = new BoundedMap<string, string>({ maxEntries: 10, maxAgeMs: 1_000, now: () => nowMs });
  map.set("a", "a");
  nowMs = 0;
  assert.equal(map.get("a"), "a");
  nowMs = 1_000;
  assert.equal(map.get("a"), undefined);
});

test("delete removes an entry from both generations", () => {
  const map = new BoundedMap<string, number>({ maxEntries: 1 });
  map.set("a", 1);
  map.set("b", 1);
  map.set("a", 2);
  assert.equal(map.delete("a"), true);
  assert.equal(map.get("a"), undefined);
  assert.equal(map.delete("a"), false);
});

test("entries come oldest first, the current value of a key last", () => {
  const map = new BoundedMap<string, number>({ maxEntries: 2 });
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  assert.deepEqual(
    new Map(map.entries()),
    new Map([
      ["a", 3],
      ["b", 2],
    ]),
  );
});
