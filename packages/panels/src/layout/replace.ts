import type { LayoutNode, Leaf } from "@backplane/contract/panels";
import type { Root } from "./find.ts";

export const emptyLeaf = (id: string): Leaf => ({ type: "leaf", id, tabs: [], activeTabId: null });

/**
 * The tree with another node in the place of one; whatever is not above it stays the very same object. Undefined in its
 * place: it goes, and its sibling takes the place of both.
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

/** The tree with another leaf in the place of one. One that is left without tabs goes, unless it is the only one. */
export function replaceLeaf(root: Root, leaf: Leaf): Root {
  const isOver = leaf.tabs.length === 0 && root.id !== leaf.id;
  return replaceNode(root, leaf.id, () => (isOver ? undefined : leaf)) ?? leaf;
}
