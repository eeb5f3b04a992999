import type { Layout } from "@backplane/contract/panels";
import { findLeaf, leavesOf } from "./tree.ts";

/** Which tab each panel shows in this browser. */
export type Shown = ReadonlyMap<string, string>;

/** A tab chosen here: it counts until a layout is there that knows of it. */
export type Choice = { tabId: string; revision: number | undefined };

export type Before = { layout: Layout | undefined; shown: Shown };

export type Now = {
  choices: ReadonlyMap<string, Choice>;
  /** The tab that holds the keyboard's focus. */
  typingIn: string | undefined;
  /** An edit of this browser is under way: what it brings to the front is meant to be there. */
  isOwn: boolean;
};

/**
 * The server says which tab of a panel is active, and this browser follows when that changes, with one exception: what
 * somebody types in is never covered by what a program opens or shows.
 */
export function follow(before: Before, { root, revision }: Layout, { choices, typingIn, isOwn }: Now): Shown {
  const shown = new Map<string, string>();
  for (const { id, tabs, activeTabId } of leavesOf(root)) {
    const has = (tabId: string | undefined): tabId is string => tabs.some((tab) => tab.id === tabId);
    const choice = choices.get(id);
    const isOpen = choice && (choice.revision === undefined || revision < choice.revision);
    const previous = before.shown.get(id);
    const active = activeTabId ?? tabs[0]?.id;
    const isNew = !before.layout || findLeaf(before.layout.root, id)?.activeTabId !== activeTabId;
    const isKept = has(previous) && (!isNew || (previous === typingIn && !isOwn));
    if (isOpen && has(choice.tabId)) shown.set(id, choice.tabId);
    else if (isKept) shown.set(id, previous);
    else if (active !== undefined) shown.set(id, active);
  }
  return shown;
}
