import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isUnique } from "./validators.ts";

const UNIQUE: readonly unknown[][] = [
  [],
  [1, "1", true, null, [], {}],
  [{ version: "1" }, { version: "1", a: 1 }],
  [{ version: {} }, { version: [] }],
  [{ a: [1, 2] }, { a: [2, 1] }],
  [["a"], ["a", "a"]],
];
for (const items of UNIQUE) test(`no two are equal: ${JSON.stringify(items)}`, () => assert.ok(isUnique(items)));

const TWICE: readonly unknown[][] = [
  [1, 2, 1],
  [0, -0],
  ["a", "b", "a"],
  ["__proto__", "__proto__"],
  [null, null],
  [
    { version: "1", a: { b: 1, c: 2 } },
    { a: { c: 2, b: 1 }, version: "1" },
  ],
  [{ version: [] }, { version: [] }],
  [{}, {}],
  [
    [1, [2]],
    [1, [2]],
  ],
];
for (const items of TWICE) test(`two are equal: ${JSON.stringify(items)}`, () => assert.ok(!isUnique(items)));

test("a list and the same list with one of its items again", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.jsonValue({ maxDepth: 3 }), { selector: canonical, minLength: 1 }), (items) => {
      assert.ok(isUnique(items));
      assert.ok(!isUnique([...items, structuredClone(items[0])]));
    }),
  );
});

/** 0 and -0 are equal. */
const canonical = (value: unknown): string => JSON.stringify(value, (_key, part: unknown) => byKey(part));

function byKey(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

test("a long list of similar items is checked quickly", () => {
  const items = Array.from({ length: 100_000 }, (_, index) => ({ version: "1", index }));
  assert.ok(isUnique(items));
});
