import type { Layout } from "@backplane/contract/panels";
import type { LiveClient } from "../live/live-client.ts";
import { findLeaf, leavesOf } from "./layout-tree.ts";

export type DockState = {
  layout: Layout | undefined;
  shown: Shown;
  /** Splits under the pointer, or let go and not yet told. */
  ratios: ReadonlyMap<string, number>;
};

export type DockStore = {
  state(): DockState;
  subscribe(listener: () => void): () => void;
  /** Shows a tab at once; `settled` says which layout has it, or (undefined) that none will. */
  choose(leafId: string, tabId: string): { settled(revision: number | undefined): void };
  /** Draws a split at this ratio at once. Undefined: as the layout has it. */
  preview(splitId: string, ratio: number | undefined): void;
  /** The layout of this revision has the ratio: the preview ends with it. */
  settleRatio(splitId: string, revision: number | undefined): void;
  /** While this work goes on, what comes to the front is meant to. */
  own<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
};

/** How long a layout that has an own edit may come after its answer. */
const OWN_GRACE_MS = 500;

/** The layout as this browser shows it: the server's, with what was chosen here a moment ago. */
export function createDockStore(live: LiveClient, typingIn: () => string | undefined): DockStore {
  const listeners = new Set<() => void>();
  const choices = new Map<string, Choice>();
  const ratiosUntil = new Map<string, number>();
  let ownEdits = 0;
  let state: DockState = { layout: undefined, shown: new Map(), ratios: new Map() };

  const change = (next: Partial<DockState>) => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };

  const now = (): Now => ({ choices, typingIn: typingIn(), isOwn: ownEdits > 0 });

  const hear = () => {
    const { layout } = live.state();
    if (!layout || layout === state.layout) return;
    const shown = follow(state, layout, now());
    for (const [leafId, { revision }] of choices) {
      if (revision !== undefined && revision <= layout.revision) choices.delete(leafId);
    }
    const ratios = new Map(state.ratios);
    for (const [splitId, revision] of ratiosUntil) {
      if (revision > layout.revision) continue;
      ratios.delete(splitId);
      ratiosUntil.delete(splitId);
    }
    change({ layout, shown, ratios });
  };

  const showAgain = () => {
    if (state.layout) change({ shown: follow(state, state.layout, now()) });
  };

  /** Back to what the server says. */
  const forget = (leafId: string) => {
    const shown = new Map(state.shown);
    shown.delete(leafId);
    state = { ...state, shown };
  };

  const preview: DockStore["preview"] = (splitId, ratio) => {
    const ratios = new Map(state.ratios);
    ratiosUntil.delete(splitId);
    if (ratio === undefined) ratios.delete(splitId);
    else ratios.set(splitId, ratio);
    change({ ratios });
  };

  const stopHearing = live.subscribe(hear);
  hear();

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    choose(leafId, tabId) {
      const choice: Choice = { tabId, revision: undefined };
      choices.set(leafId, choice);
      showAgain();
      return {
        settled(revision) {
          // Another choice was made meanwhile: that one counts.
          if (choices.get(leafId) !== choice) return;
          if (revision !== undefined && state.layout && revision > state.layout.revision) {
            choices.set(leafId, { tabId, revision });
          } else {
            choices.delete(leafId);
            if (revision === undefined) forget(leafId);
            showAgain();
          }
        },
      };
    },
    preview,
    settleRatio(splitId, revision) {
      if (revision !== undefined && state.layout && revision > state.layout.revision)
        ratiosUntil.set(splitId, revision);
      else preview(splitId, undefined);
    },
    async own(work) {
      ownEdits += 1;
      try {
        return await work();
      } finally {
        setTimeout(() => {
          ownEdits -= 1;
        }, OWN_GRACE_MS);
      }
    },
    close() {
      stopHearing();
      listeners.clear();
    },
  };
}

/** Which tab each panel shows in this browser. */
export type Shown = ReadonlyMap<string, string>;

/** A tab chosen here: it counts until a layout is there that knows of it. */
type Choice = { tabId: string; revision: number | undefined };

type Before = { layout: Layout | undefined; shown: Shown };

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
