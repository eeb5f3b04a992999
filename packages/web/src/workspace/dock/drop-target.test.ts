import assert from "node:assert/strict";
import { test } from "node:test";
import type { LayoutNode } from "@backplane/contract/panels";
import { changes, dropAt, previewOf } from "./drop-target.ts";

const leaves = new Map([
  ["a", { x: 0, y: 0, width: 400, height: 434 }],
  ["b", { x: 408, y: 0, width: 400, height: 434 }],
]);
const tabs = { a: [{ left: 0, right: 100 }], b: [{ left: 408, right: 508 }] };
const at = (x: number, y: number) => dropAt({ x, y }, leaves, (id) => tabs[id as "a" | "b"]);

test("over a strip a tab goes between the tabs under the pointer", () => {
  assert.deepEqual(at(20, 10), { kind: "insert", leafId: "a", index: 0 });
  assert.deepEqual(at(60, 10), { kind: "insert", leafId: "a", index: 1 });
  assert.deepEqual(at(700, 10), { kind: "insert", leafId: "b", index: 1 });
});

test("over the middle it joins, over an edge it splits, between panels it does nothing", () => {
  assert.deepEqual(at(200, 234), { kind: "join", leafId: "a" });
  assert.deepEqual(at(20, 234), { kind: "split", leafId: "a", side: "left" });
  assert.deepEqual(at(390, 234), { kind: "split", leafId: "a", side: "right" });
  assert.deepEqual(at(200, 50), { kind: "split", leafId: "a", side: "up" });
  assert.deepEqual(at(600, 420), { kind: "split", leafId: "b", side: "down" });
  assert.equal(at(404, 200), undefined);
});

const tab = (id: string) => ({ id, panelType: "backplane/x", panelState: {} });
const root: LayoutNode = {
  ...{ type: "split", id: "s", direction: "horizontal", ratio: 0.5 },
  first: { type: "leaf", id: "a", tabs: [tab("one"), tab("two")], activeTabId: "one" },
  second: { type: "leaf", id: "b", tabs: [tab("three")], activeTabId: "three" },
};

test("a drop that changes nothing does not count", () => {
  assert.equal(changes(root, "one", { kind: "join", leafId: "a" }), false);
  assert.equal(changes(root, "one", { kind: "insert", leafId: "a", index: 0 }), false);
  assert.equal(changes(root, "one", { kind: "insert", leafId: "a", index: 1 }), false);
  assert.equal(changes(root, "three", { kind: "split", leafId: "b", side: "left" }), false);
  assert.equal(changes(root, "gone", { kind: "join", leafId: "b" }), false);
});

test("any other drop counts", () => {
  assert.equal(changes(root, "one", { kind: "insert", leafId: "a", index: 2 }), true);
  assert.equal(changes(root, "one", { kind: "split", leafId: "a", side: "left" }), true);
  assert.equal(changes(root, "one", { kind: "join", leafId: "b" }), true);
});

test("the preview shows the half that the tab would take", () => {
  const a = { x: 0, y: 0, width: 400, height: 434 };
  assert.deepEqual(previewOf({ kind: "split", leafId: "a", side: "right" }, a), {
    ...{ x: 200, y: 34, width: 200, height: 400 },
  });
  assert.deepEqual(previewOf({ kind: "join", leafId: "a" }, a), { x: 0, y: 34, width: 400, height: 400 });
});
