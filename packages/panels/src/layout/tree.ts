import { randomBytes } from "node:crypto";
import {
  identifierOf,
  type Layout,
  type LayoutNode,
  type Leaf,
  type PackagePanelState,
  type Split,
  type Tab,
} from "@backplane/contract/panels";

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

export const activeTabOf = ({ tabs, activeTabId }: Leaf): Tab | undefined => tabs.find(({ id }) => id === activeTabId);

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

export const emptyLeaf = (id: string): Leaf => ({ type: "leaf", id, tabs: [], activeTabId: null });

/**
 * The tree with one node replaced; nodes that are not above it stay the same objects. If `change` returns undefined, the
 * node is removed, and its sibling replaces their parent.
 */
export function replaceNode(
  node: LayoutNode,
  id: string,
  change: (node: LayoutNode) => LayoutNode | undefined,
): LayoutNode | undefined {
  if (node.id === id) return change(node);
  if (node.type === "leaf") return node;
  const first = replaceNode(node.first, id, change);
  if (first === undefined) return node.second;
  if (first !== node.first) return { ...node, first };
  const second = replaceNode(node.second, id, change);
  if (second === undefined) return node.first;
  return second === node.second ? node : { ...node, second };
}

/** The tree with one leaf replaced. A leaf without tabs is removed, unless it is the only one. */
export function replaceLeaf(root: Root, leaf: Leaf): Root {
  const isOver = leaf.tabs.length === 0 && root.id !== leaf.id;
  return replaceNode(root, leaf.id, () => (isOver ? undefined : leaf)) ?? leaf;
}

const ID_BYTES = 10;
const LETTERS = { workspace: "w", panel: "p", tab: "t", split: "s" } as const;

/** The same panels and tabs with ids of their own, driven by nobody. */
export function copyOf(node: LayoutNode, newId: NewId): LayoutNode {
  if (node.type === "split") {
    return { ...node, id: newId("split"), first: copyOf(node.first, newId), second: copyOf(node.second, newId) };
  }
  const tabs = node.tabs.map(({ drivenBy: _, ...tab }) => ({ ...tab, id: newId("tab") }));
  const active = node.tabs.findIndex(({ id }) => id === node.activeTabId);
  return { ...node, id: newId("panel"), tabs, activeTabId: tabs[active]?.id ?? null };
}

export type NewId = (kind: keyof typeof LETTERS) => string;

/** Lower case and digits only: ids of tabs become part of host names. */
export const newId: NewId = (kind) => `${LETTERS[kind]}${randomBytes(ID_BYTES).toString("hex")}`;

/** Whether both show the same panel of the catalog, or the same one from a package. */
export function isSamePanel(
  one: Pick<Tab, "panelType" | "panelState">,
  other: Pick<Tab, "panelType" | "panelState">,
): boolean {
  const [own, its] = [one.panelState as PackagePanelState, other.panelState as PackagePanelState];
  const isSamePackage = own.package === its.package && (own.draft ?? false) === (its.draft ?? false);
  return isSamePackage && identifierOf(one as Tab) === identifierOf(other as Tab);
}
