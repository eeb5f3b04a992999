import type { LayoutNode, OutlinePanel } from "@backplane/contract/panels";
import { panelOf } from "../catalog/catalog.ts";
import { activeTabOf, firstLeaf } from "./tree.ts";

/** More are too small to be seen in a thumbnail. */
const MAX_DEPTH = 4;

type Area = Omit<OutlinePanel, "kind">;

const WHOLE: Area = { left: 0, top: 0, width: 1, height: 1 };
const rounded = (share: number): number => Math.round(share * 1_000) / 1_000;

/** Where the panels are, in shares of the whole, and of which kind. Deep splits count as one panel. */
export function outlineOf(node: LayoutNode, area: Area = WHOLE, depth = 0): OutlinePanel[] {
  if (node.type === "leaf" || depth === MAX_DEPTH) {
    const tab = activeTabOf(firstLeaf(node));
    return [{ ...area, kind: (tab && panelOf(tab)?.kind) ?? null }];
  }
  const { left, top, width, height } = area;
  const isBeside = node.direction === "horizontal";
  const size = rounded((isBeside ? width : height) * node.ratio);
  const first = isBeside ? { ...area, width: size } : { ...area, height: size };
  const second = isBeside
    ? { ...area, left: rounded(left + size), width: rounded(width - size) }
    : { ...area, top: rounded(top + size), height: rounded(height - size) };
  return [...outlineOf(node.first, first, depth + 1), ...outlineOf(node.second, second, depth + 1)];
}
