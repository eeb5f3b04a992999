import type { CloseTab, ListedTab, Tab } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import { panelOf } from "../catalog/catalog.ts";
import { expectTab } from "../layout/expect.ts";
import { leavesOf, type Root } from "../layout/tree.ts";
import { invalidField } from "../problems.ts";

/** The text on a tab: its own name, or its panel's. */
export const nameOf = (tab: Pick<Tab, "displayName" | "aliasOf" | "panelType">): string =>
  tab.displayName ?? panelOf(tab)?.name ?? tab.panelType;

/** Every tab of a layout, in one list. */
export function listTabs(root: Root): ListedTab[] {
  return [...leavesOf(root)].flatMap(({ id: panelId, tabs, activeTabId }) =>
    tabs.map((tab) => {
      const active = tab.id === activeTabId;
      const kind = panelOf(tab)?.kind ?? tab.panelType;
      return { ...tab, ...{ tabId: tab.id, panelId, active, isActive: active, name: nameOf(tab), kind } };
    }),
  );
}

/** Either `tabId` or `name`, not both. */
function checkWhich({ tabId, name }: CloseTab): void {
  if ((tabId === undefined) !== (name === undefined)) return;
  throw invalidField("/tabId", tabId === undefined ? "is missing; or send name" : "and name exclude each other");
}

/** The tab with this id, or the only one with this name. */
export function tabToClose(root: Root, which: CloseTab): Tab {
  checkWhich(which);
  return which.name === undefined ? expectTab(root, which.tabId ?? "", which.panelId).tab : named(root, which);
}

function named(root: Root, { name, panelId }: CloseTab): Tab {
  const found = listTabs(root).filter((tab) => tab.name === name && (panelId ?? tab.panelId) === tab.panelId);
  const [only, ...others] = found;
  if (only && others.length === 0) return expectTab(root, only.tabId).tab;
  const ids = found.map(({ tabId }) => tabId).join(", ");
  if (!only) {
    throw new Problem("tab-unknown", { errors: [{ pointer: "/name", message: "is not the name of a tab" }] });
  }
  throw new Problem("tab-name-ambiguous", {
    detail: `Several tabs have this name. Send the tabId of one of them: ${ids}.`,
    errors: [{ pointer: "/name", message: `is the name of ${found.length} tabs` }],
  });
}
