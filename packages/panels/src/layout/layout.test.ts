import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS } from "@backplane/contract/panels";
import { Problem, type ProblemCode } from "@backplane/kit/problems";
import { mergeState, patchTab } from "../catalog/panel-state.ts";
import { activateTab, addTab, changeTab, closeTab, moveTab, renameTab, resizeSplit, splitLeaf } from "./edits.ts";
import { faultsIn } from "./faults.suite.ts";
import { draw, leaf, split, tab, typeOf } from "./sample.suite.ts";
import type { Root } from "./tree.ts";

const three = (): Root => split("s", leaf("left", "a", "b"), leaf("right", "c"));
const ids = { newPanelId: "new", newSplitId: "over" };

function refused(work: () => unknown, code: ProblemCode, pointer?: string): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof Problem);
    assert.equal(error.code, code);
    assert.equal(error.errors?.[0]?.pointer, pointer);
    return true;
  });
}

test("a tab opens after the existing ones, and is active unless it opens in the background", () => {
  assert.equal(draw(addTab(three(), tab("d"), { panelId: "left" })), "[a b d* | c*]");
  assert.equal(draw(addTab(three(), tab("d"), { panelId: "left", background: true })), "[a* b d | c*]");
  assert.equal(draw(addTab(three(), tab("d"), { panelId: "left", index: 1 })), "[a d* b | c*]");
  const first = addTab(leaf("only"), tab("d"), { panelId: "only", background: true });
  assert.equal(draw(first), "d*", "behind nothing is in front");
});

test("what a change does not touch stays the same object", () => {
  const root = three();
  assert.ok(root.type === "split");
  const next = addTab(root, tab("d"), { panelId: "left" });
  assert.ok(next.type === "split");
  assert.equal(next.second, root.second);
  assert.equal(draw(root), "[a* b | c*]", "and the old tree is unchanged");
  for (const same of [
    activateTab(root, "a"),
    resizeSplit(root, "s", 0.5),
    changeTab(root, "a", (each) => patchTab(each, {}, undefined)),
    moveTab(root, { tabId: "a", targetPanelId: "left", index: 0 }),
  ]) {
    assert.equal(same, root, "an equal value is not a change");
  }
});

test("closing the active tab shows the next one, or the one before; the last one takes its leaf and split with it", () => {
  assert.equal(draw(closeTab(three(), "a")), "[b* | c*]");
  assert.equal(draw(closeTab(activateTab(three(), "b"), "b")), "[a* | c*]");
  assert.equal(draw(closeTab(three(), "c")), "a* b");
  assert.deepEqual(closeTab(leaf("only", "a"), "a"), leaf("only"), "the last leaf stays, empty");
});

test("a split puts the new leaf after the other one, or before it", () => {
  const after = splitLeaf(three(), "left", tab("d"), { direction: "vertical", ratio: 0.3, ...ids });
  assert.equal(draw(after.root), "[[a* b / d*] | c*]");
  assert.equal(after.newPanelId, "new");
  const before = splitLeaf(three(), "right", tab("d"), { direction: "horizontal", position: "before", ...ids });
  assert.equal(draw(before.root), "[a* b | [d* | c*]]");
  const empty = splitLeaf(leaf("only"), "only", tab("d"), { direction: "horizontal", ...ids });
  assert.deepEqual([draw(empty.root), empty.newPanelId], ["d*", "only"], "an empty leaf takes the tab itself");
});

test("a tab moves within its leaf, into another one, and into a new one", () => {
  assert.equal(draw(moveTab(three(), { tabId: "a", targetPanelId: "left" })), "[b a* | c*]");
  assert.equal(draw(moveTab(three(), { tabId: "a", targetPanelId: "right", index: 0 })), "[b* | a* c]");
  assert.equal(draw(moveTab(three(), { tabId: "c", targetPanelId: "left", index: 99 })), "a b c*");
  const beside = { direction: "vertical" as const, ...ids };
  assert.equal(draw(moveTab(three(), { tabId: "a", targetPanelId: "left", beside })), "[[b* / a*] | c*]");
  assert.equal(draw(moveTab(three(), { tabId: "c", targetPanelId: "left", beside })), "[a* b / c*]");
  const root = three();
  assert.equal(moveTab(root, { tabId: "c", targetPanelId: "right", beside }), root, "alone beside itself: no change");
});

test("Singleton panels (at most once per workspace): the 3D viewer and the schematic editor", () => {
  for (const kind of ["3d-viewer", "schematic-editor"]) {
    const root = split("s", leaf("left", "a"), leaf("right", tab("one", kind)));
    refused(() => addTab(root, tab("two", kind), { panelId: "left" }), "singleton-panel", "/panelType");
    refused(
      () => splitLeaf(root, "left", tab("two", kind), { direction: "vertical", ...ids }),
      "singleton-panel",
      "/panelType",
    );
    assert.throws(() => addTab(root, tab("two", kind), { panelId: "left" }), /tab one in panel right/);
    const moved = moveTab(root, { tabId: "one", targetPanelId: "left" });
    assert.equal(draw(moved), "a one*", "it moves like any other");
    assert.equal(draw(addTab(closeTab(moved, "one"), tab("two", kind), { panelId: "left" })), "a two*");
  }
});

test("what does not exist is reported with the field that named it", () => {
  const root = three();
  refused(() => addTab(root, tab("d"), { panelId: "x" }), "panel-unknown", "/panelId");
  refused(() => closeTab(root, "x"), "tab-unknown", "/tabId");
  refused(() => activateTab(root, "left"), "tab-unknown", "/tabId");
  refused(() => moveTab(root, { tabId: "a", targetPanelId: "s" }), "panel-unknown", "/targetPanelId");
  refused(() => resizeSplit(root, "left", 0.4), "split-unknown", "/splitId");
});

test("a workspace has at most 200 tabs and is at most 32 deep", () => {
  let full: Root = leaf("only");
  for (let i = 0; i < PANELS_LIMITS.maxTabs; i += 1) full = addTab(full, tab(`t${i}`), { panelId: "only" });
  refused(() => addTab(full, tab("one more"), { panelId: "only" }), "workspace-full");

  let deep: Root = leaf("p0", "t0");
  const deepen = (i: number) =>
    splitLeaf(deep, `p${i}`, tab(`t${i + 1}`), {
      ...{ direction: "horizontal", newPanelId: `p${i + 1}`, newSplitId: `s${i}` },
    }).root;
  for (let i = 0; i < PANELS_LIMITS.maxDepth; i += 1) deep = deepen(i);
  refused(() => deepen(PANELS_LIMITS.maxDepth), "workspace-full");
  assert.deepEqual(faultsIn(deep), []);
});

test("state is merged key by key, null removes a key, and it has a largest size", () => {
  assert.deepEqual(mergeState({ a: 1, b: [2] }, { b: null, c: "x" }), { a: 1, c: "x" });
  const state = { a: { deep: [1] } };
  assert.equal(mergeState(state, { a: { deep: [1] }, gone: null }), state, "equal is the same");
  const driven = patchTab(tab("a"), {}, "My program");
  assert.equal(driven.drivenBy, "My program");
  assert.equal(patchTab(driven, {}, undefined), driven, "a person's own change leaves the driver");
  refused(() => patchTab(driven, { a: "x".repeat(32_768) }, undefined), "invalid-input", "/panelState");
  assert.equal(draw(renameTab(three(), "a", "Mine")), draw(three()));
});

test("every fault of a tree is found", () => {
  const broken: [Root, RegExp][] = [
    [split("s", leaf("p", "a"), leaf("q", "a")), /a occurs twice/],
    [split("s", leaf("p", "a"), leaf("q")), /q is empty/],
    [{ ...leaf("p", "a"), activeTabId: "b" }, /p has b active/],
    [{ ...leaf("p", "a"), activeTabId: null }, /p has null active/],
    [{ ...leaf("p"), activeTabId: "a" }, /p has a active/],
    [{ ...split("s", leaf("p", "a"), leaf("q", "b")), ratio: 0.01 }, /ratio/],
    [leaf("p", tab("a", "3d-viewer"), tab("b", "3d-viewer")), new RegExp(`${typeOf("3d-viewer")} occurs twice`)],
  ];
  for (const [root, fault] of broken) assert.match(faultsIn(root).join(), fault);
  assert.deepEqual(faultsIn(three()), []);
});
