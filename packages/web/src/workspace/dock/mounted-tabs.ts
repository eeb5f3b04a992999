import type { Layout } from "@backplane/contract/panels";
import type { Shown } from "./shown-tabs.ts";
import { leavesOf } from "./tree.ts";

/**
 * The tabs whose panels exist in this page: those that were shown once and are still open. Also those that a program has
 * brought to the front behind what somebody types in: it goes on to drive them. Never in another order than before: to
 * move an element in the document would reload the frames in it.
 */
export function mountedTabs(before: readonly string[], { root }: Layout, shown: Shown): readonly string[] {
  const open = new Set<string>();
  const wanted = new Set<string>();
  for (const { id, tabs, activeTabId } of leavesOf(root)) {
    for (const tab of tabs) open.add(tab.id);
    for (const tabId of [shown.get(id), activeTabId]) if (typeof tabId === "string") wanted.add(tabId);
  }
  const kept = before.filter((tabId) => open.has(tabId));
  const added = [...wanted].filter((tabId) => open.has(tabId) && !before.includes(tabId));
  return kept.length === before.length && added.length === 0 ? before : [...kept, ...added];
}
