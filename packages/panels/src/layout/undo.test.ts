import assert from "node:assert/strict";
import { test } from "node:test";
import { activateTab, addTab, changeTab, closeTab, moveTab, resizeSplit, splitLeaf } from "./edits.ts";
import { faultsIn } from "./faults.suite.ts";
import { draw, leaf, split, tab } from "./sample.suite.ts";
import { findTab, type Root } from "./tree.ts";
import { isSameShape, rememberChange, undoChange } from "./undo.ts";

const three = (): Root => split("s", leaf("left", "a", "b"), leaf("right", "c"));
const ids = { newPanelId: "new", newSplitId: "over" };

/** Undoes `change` after `since` happened to the tree. */
function undone(before: Root, change: (root: Root) => Root, since: (root: Root) => Root = (root) => root): string {
  const after = change(before);
  // As it is stored: as text.
  const remembered = JSON.parse(JSON.stringify(rememberChange(before, after))) as ReturnType<typeof rememberChange>;
  const back = undoChange(since(after), remembered);
  assert.deepEqual(faultsIn(back), []);
  return draw(back);
}

test("each change is undone as if it had never happened", () => {
  const changes: ((root: Root) => Root)[] = [
    (root) => addTab(root, tab("d"), { panelId: "left" }),
    (root) => closeTab(root, "a"),
    (root) => closeTab(root, "c"),
    (root) => splitLeaf(root, "right", tab("d"), { direction: "vertical", ...ids }).root,
    (root) => moveTab(root, { tabId: "c", targetPanelId: "left" }),
    (root) => moveTab(root, { tabId: "a", targetPanelId: "right", index: 0 }),
    (root) => moveTab(root, { tabId: "b", targetPanelId: "left", index: 0 }),
    (root) => resizeSplit(root, "s", 0.2),
  ];
  for (const change of changes.slice(0, -2)) assert.equal(undone(three(), change), draw(three()));
  const [reorder, resize] = changes.slice(-2);
  assert.equal(reorder && undone(three(), reorder), "[a b* | c*]", "the tab that somebody looks at stays in front");
  const before = three();
  const after = resize?.(before) ?? before;
  const back = undoChange(after, rememberChange(before, after));
  assert.equal(back.type === "split" && back.ratio, 0.5);
});

test("the contents and names of tabs stay as they are now", () => {
  const before = three();
  const after = moveTab(before, { tabId: "a", targetPanelId: "right" });
  const since = changeTab(after, "a", (each) => ({
    ...each,
    ...{ panelState: { generation: 3 }, displayName: "Mine", drivenBy: "My program" },
  }));
  const back = undoChange(since, rememberChange(before, after));
  assert.deepEqual(findTab(back, "a"), { tab: findTab(since, "a")?.tab, leaf: findTab(back, "a")?.leaf });
  assert.equal(findTab(back, "a")?.leaf.id, "left");
});

test("a tab that comes back has the contents it had when it was closed", () => {
  const before = changeTab(three(), "c", (each) => ({ ...each, panelState: { generation: 7 } }));
  const after = closeTab(before, "c");
  assert.deepEqual(findTab(undoChange(after, rememberChange(before, after)), "c")?.tab.panelState, { generation: 7 });
});

test("the tab that somebody looks at now stays in front, unless one comes back", () => {
  assert.equal(
    undone(
      three(),
      (root) => resizeSplit(root, "s", 0.2),
      (root) => activateTab(root, "b"),
    ),
    "[a b* | c*]",
  );
  assert.equal(
    undone(activateTab(three(), "b"), (root) => closeTab(root, "b")),
    "[a b* | c*]",
  );
});

test("a second singleton never comes back", () => {
  const before = split("s", leaf("left", "a"), leaf("right", tab("one", "3d-viewer"), "b"));
  const again = undone(
    before,
    (root) => closeTab(root, "one"),
    (root) => addTab(root, tab("two", "3d-viewer"), { panelId: "left", background: true }),
  );
  assert.equal(again, "[a* two | b*]");
});

test("tabs that were opened since then stay: in their leaf, with a neighbour, or in the first leaf", () => {
  const close = (root: Root) => closeTab(root, "b");
  assert.equal(
    undone(three(), close, (root) => addTab(root, tab("d"), { panelId: "right", background: true })),
    "[a* b | c* d]",
  );
  const beside = (panelId: string) => (root: Root) =>
    splitLeaf(root, panelId, tab("d"), { direction: "vertical", ...ids }).root;
  assert.equal(
    undone(three(), close, beside("right")),
    "[a* b d | c*]",
    "the new leaf does not exist in the earlier tree",
  );
  const withMate = (root: Root) => moveTab(beside("right")(root), { tabId: "c", targetPanelId: "new" });
  assert.equal(undone(three(), close, withMate), "[a* b | c* d]");
  const emptied = undone(
    leaf("only"),
    (root) => addTab(root, tab("a"), { panelId: "only" }),
    (root) => addTab(root, tab("b"), { panelId: "only" }),
  );
  assert.equal(emptied, "b*");
});

test("showing another tab or changing its contents is not a change that can be undone", () => {
  const root = three();
  assert.ok(isSameShape(root, activateTab(root, "b")));
  assert.ok(
    isSameShape(
      root,
      changeTab(root, "a", (each) => ({ ...each, displayName: "x" })),
    ),
  );
  for (const other of [
    addTab(root, tab("d"), { panelId: "left" }),
    closeTab(root, "a"),
    closeTab(root, "c"),
    resizeSplit(root, "s", 0.2),
    moveTab(root, { tabId: "a", targetPanelId: "left" }),
  ]) {
    assert.ok(!isSameShape(root, other));
  }
});
