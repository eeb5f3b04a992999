import type { Layout, LayoutNode, Leaf, Tab } from "@backplane/contract/panels";

type Root = Layout["root"];

/** In the order they are read: left before right, above before below. */
export function leavesOf(node: LayoutNode): Leaf[] {
  return node.type === "leaf" ? [node] : [...leavesOf(node.first), ...leavesOf(node.second)];
}

export const tabsOf = (root: Root): Tab[] => leavesOf(root).flatMap(({ tabs }) => tabs);

export const findLeaf = (root: Root, leafId: string): Leaf | undefined =>
  leavesOf(root).find(({ id }) => id === leafId);

export const leafOfTab = (root: Root, tabId: string): Leaf | undefined =>
  leavesOf(root).find(({ tabs }) => tabs.some(({ id }) => id === tabId));

export const findTab = (root: Root, tabId: string): Tab | undefined => tabsOf(root).find(({ id }) => id === tabId);

/** The panel after this one, around the end; undefined when it is the only one. */
export function leafAfter(root: Root, leafId: string | undefined, step: 1 | -1 = 1): Leaf | undefined {
  const leaves = leavesOf(root);
  const place = leaves.findIndex(({ id }) => id === leafId);
  if (place === -1) return leaves[step === 1 ? 0 : leaves.length - 1];
  const next = leaves[(place + step + leaves.length) % leaves.length];
  return next?.id === leafId ? undefined : next;
}
