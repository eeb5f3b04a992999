import type { Leaf, Split, Tab } from "@backplane/contract/panels";
import { findPanel } from "../catalog/catalog.ts";
import type { Root } from "./tree.ts";

export const typeOf = (kind: string): string => findPanel(kind)?.identifier ?? `no panel ${kind}`;

export const tab = (id: string, kind = "sandbox"): Tab => ({ id, panelType: typeOf(kind), panelState: {} });

/** A leaf with these tabs; the first is active. */
export const leaf = (id: string, ...tabs: (string | Tab)[]): Leaf => {
  const own = tabs.map((each) => (typeof each === "string" ? tab(each) : each));
  return { type: "leaf", id, tabs: own, activeTabId: own[0]?.id ?? null };
};

export const split = (id: string, first: Root, second: Root, direction: Split["direction"] = "horizontal"): Split => ({
  ...{ type: "split", id, direction, ratio: 0.5, first, second },
});

/** A tree in one line: `[a* b | c*]`, side by side by "|", one above the other by "/". */
export function draw(root: Root): string {
  if (root.type === "leaf") {
    return root.tabs.map(({ id }) => (id === root.activeTabId ? `${id}*` : id)).join(" ") || "empty";
  }
  return `[${draw(root.first)} ${root.direction === "horizontal" ? "|" : "/"} ${draw(root.second)}]`;
}
