import type { Leaf, Split, Tab } from "@backplane/contract/panels";
import { expectDepth, expectLeaf, expectRoomFor, expectSplit, expectTab } from "./expect.ts";
import { type Root, replaceLeaf, replaceNode } from "./tree.ts";

export type TabPlace = { panelId: string; index?: number | undefined; background?: boolean | undefined };

/** The leaf with one more tab: at the end unless `index` is given, and active unless `background` is. */
function withTab(leaf: Leaf, tab: Tab, { index, background }: Omit<TabPlace, "panelId"> = {}): Leaf {
  const isBehind = background === true && leaf.activeTabId !== null;
  return {
    ...leaf,
    tabs: leaf.tabs.toSpliced(index ?? leaf.tabs.length, 0, tab),
    activeTabId: isBehind ? leaf.activeTabId : tab.id,
  };
}

/** The leaf without a tab. If that tab was active, the next one becomes active, or else the one before. */
function withoutTab(leaf: Leaf, tabId: string): Leaf {
  const at = leaf.tabs.findIndex(({ id }) => id === tabId);
  const tabs = leaf.tabs.filter(({ id }) => id !== tabId);
  if (leaf.activeTabId !== tabId) return { ...leaf, tabs };
  return { ...leaf, tabs, activeTabId: (tabs[at] ?? tabs.at(-1))?.id ?? null };
}

export function addTab(root: Root, tab: Tab, place: TabPlace): Root {
  const leaf = expectLeaf(root, place.panelId);
  expectRoomFor(root, tab);
  return replaceLeaf(root, withTab(leaf, tab, place));
}

export function closeTab(root: Root, tabId: string): Root {
  return replaceLeaf(root, withoutTab(expectTab(root, tabId).leaf, tabId));
}

export function activateTab(root: Root, tabId: string): Root {
  const { leaf } = expectTab(root, tabId);
  return leaf.activeTabId === tabId ? root : replaceLeaf(root, { ...leaf, activeTabId: tabId });
}

/** The tree with a changed tab. Returns the same tree when `change` returns the same tab. */
export function changeTab(root: Root, tabId: string, change: (tab: Tab) => Tab): Root {
  const { leaf, tab } = expectTab(root, tabId);
  const next = change(tab);
  if (next === tab) return root;
  return replaceLeaf(root, { ...leaf, tabs: leaf.tabs.map((each) => (each === tab ? next : each)) });
}

export const renameTab = (root: Root, tabId: string, displayName: string): Root =>
  changeTab(root, tabId, (tab) => (tab.displayName === displayName ? tab : { ...tab, displayName }));

/** Where a new leaf goes beside an existing one, and the ids of the new leaf and of the split above both. */
export type Beside = {
  direction: Split["direction"];
  position?: "before" | "after" | undefined;
  /** The share of the first half. */
  ratio?: number | undefined;
  newPanelId: string;
  newSplitId: string;
};

const EVEN = 0.5;

/** Puts a leaf beside another one. */
function putBeside(root: Root, panelId: string, leaf: Leaf, beside: Beside): Root {
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
 * Opens a tab in a new leaf beside another one. An empty leaf is not split but takes the tab itself. Returns the id of
 * the leaf that has the tab.
 */
export function splitLeaf(root: Root, panelId: string, tab: Tab, beside: Beside): { root: Root; newPanelId: string } {
  const target = expectLeaf(root, panelId);
  expectRoomFor(root, tab);
  if (target.tabs.length === 0) return { root: withTab(target, tab), newPanelId: target.id };
  const leaf: Leaf = { type: "leaf", id: beside.newPanelId, tabs: [tab], activeTabId: tab.id };
  return { root: putBeside(root, panelId, leaf, beside), newPanelId: leaf.id };
}

export function resizeSplit(root: Root, splitId: string, ratio: number): Root {
  if (expectSplit(root, splitId).ratio === ratio) return root;
  return replaceNode(root, splitId, (split) => ({ ...(split as Split), ratio })) ?? root;
}

export type Move = {
  tabId: string;
  targetPanelId: string;
  /** Among the other tabs of the target; absent: at the end. */
  index?: number | undefined;
  /** Into a new leaf there instead. */
  beside?: Beside | undefined;
};

/** Moves a tab and makes it active. A leaf that is left empty is removed. */
export function moveTab(root: Root, { tabId, targetPanelId, index, beside }: Move): Root {
  const { tab, leaf: source } = expectTab(root, tabId);
  const target = expectLeaf(root, targetPanelId, "/targetPanelId");
  const isOwnLeaf = source === target;
  // Its own leaf would be left empty and removed: the tab would be alone in a leaf as before.
  if (isOwnLeaf && beside && source.tabs.length === 1) return root;
  if (isOwnLeaf && !beside) {
    const moved = withTab(withoutTab(source, tabId), tab, { index });
    return isSame(moved, source) ? root : replaceLeaf(root, moved);
  }
  const rest = replaceLeaf(root, withoutTab(source, tabId));
  if (!beside) return replaceLeaf(rest, withTab(target, tab, { index }));
  const leaf: Leaf = { type: "leaf", id: beside.newPanelId, tabs: [tab], activeTabId: tab.id };
  return putBeside(rest, targetPanelId, leaf, beside);
}

const isSame = (one: Leaf, other: Leaf): boolean =>
  one.activeTabId === other.activeTabId && one.tabs.every((tab, at) => tab === other.tabs[at]);
