import type { Layout, LayoutNode, Leaf, Split, Tab } from "@backplane/contract/panels";

export type Root = Layout["root"];

/** From left to right, from top to bottom. */
export function* leavesOf(node: LayoutNode): Generator<Leaf> {
  if (node.type === "leaf") yield node;
  else {
    yield* leavesOf(node.first);
    yield* leavesOf(node.second);
  }
}

export function* splitsOf(node: LayoutNode): Generator<Split> {
  if (node.type === "leaf") return;
  yield node;
  yield* splitsOf(node.first);
  yield* splitsOf(node.second);
}

export const tabsOf = (root: Root): Tab[] => [...leavesOf(root)].flatMap(({ tabs }) => tabs);

export function firstLeaf(node: LayoutNode): Leaf {
  let found = node;
  while (found.type === "split") found = found.first;
  return found;
}

export const findLeaf = (root: Root, panelId: string): Leaf | undefined =>
  leavesOf(root).find(({ id }) => id === panelId);

export const findSplit = (root: Root, splitId: string): Split | undefined =>
  splitsOf(root).find(({ id }) => id === splitId);

export type FoundTab = { tab: Tab; leaf: Leaf };

export function findTab(root: Root, tabId: string): FoundTab | undefined {
  for (const leaf of leavesOf(root)) {
    const tab = leaf.tabs.find(({ id }) => id === tabId);
    if (tab) return { tab, leaf };
  }
  return undefined;
}

/** How many splits there are above the deepest leaf. */
export const depthOf = (node: LayoutNode): number =>
  node.type === "leaf" ? 0 : 1 + Math.max(depthOf(node.first), depthOf(node.second));
