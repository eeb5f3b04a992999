import { identifierOf, type Leaf, PANELS_LIMITS, type Split, type Tab } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { panelOf } from "../catalog/catalog.ts";
import { depthOf, type FoundTab, findLeaf, findSplit, findTab, leavesOf, type Root, tabsOf } from "./tree.ts";

const { maxTabs, maxDepth } = PANELS_LIMITS;

/** `pointer`: the field that named it. */
export function expectLeaf(root: Root, panelId: string, pointer = "/panelId"): Leaf {
  const leaf = findLeaf(root, panelId);
  if (leaf) return leaf;
  throw new Problem("panel-unknown", {
    detail: `There is no panel ${panelId}. GET …/current lists them.`,
    errors: [{ pointer, message: "is not a panel of this workspace" }],
  });
}

/** With `panelId`: it must be in that panel. */
export function expectTab(root: Root, tabId: string, panelId?: string, pointer = "/panelId"): FoundTab {
  if (panelId !== undefined) expectLeaf(root, panelId, pointer);
  const found = findTab(root, tabId);
  if (found && (panelId === undefined || found.leaf.id === panelId)) return found;
  throw new Problem("tab-unknown", {
    detail: found ? `Tab ${tabId} is in panel ${found.leaf.id}.` : `There is no tab ${tabId}.`,
    errors: [
      { pointer: "/tabId", message: panelId === undefined ? "is not a tab of this workspace" : "is not in this panel" },
    ],
  });
}

export function expectSplit(root: Root, splitId: string): Split {
  const split = findSplit(root, splitId);
  if (split) return split;
  throw new Problem("split-unknown", {
    detail: `There is no split ${splitId}. GET …/current lists them.`,
    errors: [{ pointer: "/splitId", message: "is not a split of this workspace" }],
  });
}

/** 409 when another tab like this would exceed a limit. */
export function expectRoomFor(root: Root, tab: Tab): void {
  const panel = panelOf(tab);
  if (panel?.singleton) {
    for (const leaf of leavesOf(root)) {
      const open = leaf.tabs.find((each) => identifierOf(each) === panel.identifier);
      if (!open) continue;
      throw new Problem("singleton-panel", {
        detail: `${panel.name} is already open: tab ${open.id} in panel ${leaf.id}.`,
        errors: [{ pointer: "/panelType", message: "is already open, and allowed once per workspace" }],
      });
    }
  }
  if (tabsOf(root).length >= maxTabs) {
    throw new Problem("workspace-full", { detail: `A workspace has at most ${maxTabs} tabs. Close some first.` });
  }
}

export function expectDepth(root: Root): Root {
  if (depthOf(root) <= maxDepth) return root;
  throw new Problem("workspace-full", {
    detail: `Panels are nested at most ${maxDepth} deep. Open it as a tab, or split another panel.`,
  });
}
