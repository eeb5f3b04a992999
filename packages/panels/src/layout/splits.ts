import type { Leaf, Split, Tab } from "@backplane/contract/panels";
import { expectDepth, expectLeaf, expectRoomFor, expectSplit } from "./expect.ts";
import type { Root } from "./find.ts";
import { replaceNode } from "./replace.ts";
import { withTab } from "./tabs.ts";

/** Where a new leaf goes beside one that is there, and the ids that it and the split over both get. */
export type Beside = {
  direction: Split["direction"];
  position?: "before" | "after" | undefined;
  /** The share of the first of the two. */
  ratio?: number | undefined;
  newPanelId: string;
  newSplitId: string;
};

const EVEN = 0.5;

/** Puts a leaf beside one of the tree's. */
export function putBeside(root: Root, panelId: string, leaf: Leaf, beside: Beside): Root {
  const isBefore = beside.position === "before";
  const next = replaceNode(root, panelId, (target) => ({
    type: "split",
    id: beside.newSplitId,
    direction: beside.direction,
    ratio: beside.ratio ?? EVEN,
    first: isBefore ? leaf : target,
    second: isBefore ? target : leaf,
  }));
  return expectDepth(next ?? root);
}

/**
 * Opens a tab in a new leaf beside another one. An empty leaf is not split: it would stay empty, so it takes the tab.
 * Answers the leaf that the tab is in.
 */
export function splitLeaf(root: Root, panelId: string, tab: Tab, beside: Beside): { root: Root; newPanelId: string } {
  const target = expectLeaf(root, panelId);
  expectRoomFor(root, tab.panelType);
  if (target.tabs.length === 0) return { root: withTab(target, tab), newPanelId: target.id };
  const leaf: Leaf = { type: "leaf", id: beside.newPanelId, tabs: [tab], activeTabId: tab.id };
  return { root: putBeside(root, panelId, leaf, beside), newPanelId: leaf.id };
}

export function resizeSplit(root: Root, splitId: string, ratio: number): Root {
  if (expectSplit(root, splitId).ratio === ratio) return root;
  return replaceNode(root, splitId, (split) => ({ ...(split as Split), ratio })) ?? root;
}
