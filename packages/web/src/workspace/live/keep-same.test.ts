import assert from "node:assert/strict";
import { test } from "node:test";
import { keepSame } from "./keep-same.ts";

const tab = (name: string) => ({ id: name, state: { path: null } });
const layout = (revision: number, ...names: string[]) => ({
  revision,
  root: { type: "split", first: { tabs: names.map(tab) }, second: { tabs: [tab("b")] } },
});

test("what did not change is the same object, and what did is new", () => {
  const before = layout(1, "a", "c");
  assert.equal(keepSame(before, layout(1, "a", "c")), before);

  const after = keepSame(before, layout(2, "a", "d"));
  assert.deepEqual(after, layout(2, "a", "d"));
  assert.equal(after.root.second, before.root.second);
  assert.equal(after.root.first.tabs[0], before.root.first.tabs[0]);
  assert.notEqual(after.root.first, before.root.first);
});

test("more, fewer, other kinds of values, and keys that are in one only are changes", () => {
  const pairs: [unknown, unknown][] = [
    [[1, 2], [1]],
    [[1], [1, 2]],
    [{ a: undefined }, { b: undefined }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [[], {}],
    [{}, []],
    [null, {}],
    [{}, null],
    [undefined, { a: [] }],
    ["1", 1],
  ];
  for (const [before, after] of pairs) {
    assert.deepEqual(keepSame(before, structuredClone(after)), after);
    assert.deepEqual(keepSame({ in: before }, { in: structuredClone(after) }), { in: after });
    assert.notEqual(keepSame(before, after), before);
  }
});
