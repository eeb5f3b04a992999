import type { Leaf } from "@backplane/contract/panels";
import { expectLeaf, expectTab } from "./expect.ts";
import type { Root } from "./find.ts";
import { replaceLeaf } from "./replace.ts";
import { type Beside, putBeside } from "./splits.ts";
import { withoutTab, withTab } from "./tabs.ts";

export type Move = {
  tabId: string;
  targetPanelId: string;
  /** Among the other tabs of the target; absent: behind them. */
  index?: number | undefined;
  /** Into a new leaf there instead. */
  beside?: Beside | undefined;
};

/** Takes a tab somewhere else; there it is the active one. A leaf that it leaves empty goes. */
export function moveTab(root: Root, { tabId, targetPanelId, index, beside }: Move): Root {
  const { tab, leaf: source } = expectTab(root, tabId);
  const target = expectLeaf(root, targetPanelId, "/targetPanelId");
  const isOwnLeaf = source === target;
  // Its own leaf would be left empty, and go: the tab would be alone in a leaf as before.
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
