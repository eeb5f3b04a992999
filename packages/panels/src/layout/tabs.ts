import type { Leaf, Tab } from "@backplane/contract/panels";
import { expectLeaf, expectRoomFor, expectTab } from "./expect.ts";
import type { Root } from "./find.ts";
import { replaceLeaf } from "./replace.ts";

export type TabPlace = { panelId: string; index?: number | undefined; background?: boolean | undefined };

/** The leaf with one more tab: at its end, unless told where; active, unless it opens behind the one that is. */
export function withTab(leaf: Leaf, tab: Tab, { index, background }: Omit<TabPlace, "panelId"> = {}): Leaf {
  const isBehind = background === true && leaf.activeTabId !== null;
  return {
    ...leaf,
    tabs: leaf.tabs.toSpliced(index ?? leaf.tabs.length, 0, tab),
    activeTabId: isBehind ? leaf.activeTabId : tab.id,
  };
}

/** The leaf without a tab. When that one was active, the one that takes its place is, or else the one before. */
export function withoutTab(leaf: Leaf, tabId: string): Leaf {
  const at = leaf.tabs.findIndex(({ id }) => id === tabId);
  const tabs = leaf.tabs.filter(({ id }) => id !== tabId);
  if (leaf.activeTabId !== tabId) return { ...leaf, tabs };
  return { ...leaf, tabs, activeTabId: (tabs[at] ?? tabs.at(-1))?.id ?? null };
}

export function addTab(root: Root, tab: Tab, place: TabPlace): Root {
  const leaf = expectLeaf(root, place.panelId);
  expectRoomFor(root, tab.panelType);
  return replaceLeaf(root, withTab(leaf, tab, place));
}

export function closeTab(root: Root, tabId: string): Root {
  return replaceLeaf(root, withoutTab(expectTab(root, tabId).leaf, tabId));
}

export function activateTab(root: Root, tabId: string): Root {
  const { leaf } = expectTab(root, tabId);
  return leaf.activeTabId === tabId ? root : replaceLeaf(root, { ...leaf, activeTabId: tabId });
}

/** The tree with another tab of the same id in the place of one. The very same tab: the very same tree. */
export function changeTab(root: Root, tabId: string, change: (tab: Tab) => Tab): Root {
  const { leaf, tab } = expectTab(root, tabId);
  const next = change(tab);
  if (next === tab) return root;
  return replaceLeaf(root, { ...leaf, tabs: leaf.tabs.map((each) => (each === tab ? next : each)) });
}

export const renameTab = (root: Root, tabId: string, displayName: string): Root =>
  changeTab(root, tabId, (tab) => (tab.displayName === displayName ? tab : { ...tab, displayName }));
