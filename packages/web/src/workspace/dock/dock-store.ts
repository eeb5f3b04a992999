import type { Layout } from "@backplane/contract/panels";
import type { LiveClient } from "../live/live-client.ts";
import { createStore } from "../store.ts";
import { findLeaf, leavesOf } from "./layout-tree.ts";

export type DockState = {
  layout: Layout | undefined;
  shown: Shown;
  /** Ratios of splits that are being dragged, or were changed here and are not in the layout yet. */
  ratios: ReadonlyMap<string, number>;
};

export type DockStore = {
  state(): DockState;
  subscribe(listener: () => void): () => void;
  /** Shows a tab at once. Call `settled` with the revision that has it, or with undefined if the server refused. */
  choose(leafId: string, tabId: string): { settled(revision: number | undefined): void };
  /** Draws a split at this ratio at once; undefined goes back to the layout's ratio. */
  preview(splitId: string, ratio: number | undefined): void;
  /** The layout of this revision has the ratio: the preview ends with it. */
  settleRatio(splitId: string, revision: number | undefined): void;
  /** Runs an edit of this browser's user. What it brings to the front may cover what somebody types in. */
  runOwnEdit<T>(edit: () => Promise<T>, revisionOf?: (answer: T) => number | undefined): Promise<T>;
  /** Until the layout has what this user did so far: what the next key means depends on it. Undefined: it has. */
  caughtUp(): Promise<void> | undefined;
  close(): void;
};

/** The layout with an edit may arrive this much later than the answer to the edit. */
const OWN_EDIT_GRACE_MS = 500;
/** A layout that is later than this after the answer does not come: the connection was lost. */
const ARRIVES_WITHIN_MS = 5_000;

/** The layout as this browser shows it: the server's layout, and on top of it what was changed here a moment ago. */
export function createDockStore(live: LiveClient, typingIn: () => string | undefined): DockStore {
  const initial: DockState = { layout: undefined, shown: new Map(), ratios: new Map() };
  const { state, subscribe, update } = createStore(initial);
  const choices = new Map<string, Choice>();
  const ratiosUntil = new Map<string, number>();
  let ownEdits = 0;
  const pending = new Set<Promise<void>>();

  const now = (): Now => ({ choices, typingIn: typingIn(), isOwn: ownEdits > 0 });
  const isFuture = (revision: number | undefined): revision is number =>
    revision !== undefined && revision > (state().layout?.revision ?? revision);

  const receiveLayout = () => {
    const { layout } = live.state();
    if (!layout || layout === state().layout) return;
    const shown = follow(state(), layout, now());
    for (const [leafId, { revision }] of choices) {
      if (revision !== undefined && revision <= layout.revision) choices.delete(leafId);
    }
    const ratios = new Map(state().ratios);
    for (const [splitId, revision] of ratiosUntil) {
      if (revision > layout.revision) continue;
      ratios.delete(splitId);
      ratiosUntil.delete(splitId);
    }
    update({ layout, shown, ratios });
  };

  const showAgain = (shown = state().shown) => {
    const { layout } = state();
    if (layout) update({ shown: follow({ layout, shown }, layout, now()) });
  };

  const preview: DockStore["preview"] = (splitId, ratio) => {
    const ratios = new Map(state().ratios);
    ratiosUntil.delete(splitId);
    if (ratio === undefined) ratios.delete(splitId);
    else ratios.set(splitId, ratio);
    update({ ratios });
  };

  /** Until a layout of this revision is drawn, or is late. */
  const arrived = (revision: number | undefined): Promise<void> =>
    new Promise((resolve) => {
      if (!isFuture(revision)) return resolve();
      const end = () => {
        clearTimeout(timer);
        stop();
        setTimeout(resolve, 0);
      };
      const timer = setTimeout(end, ARRIVES_WITHIN_MS);
      const stop = subscribe(() => isFuture(revision) || end());
    });

  const close = live.subscribe(receiveLayout);
  receiveLayout();

  return {
    state,
    subscribe,
    choose(leafId, tabId) {
      const choice: Choice = { tabId, revision: undefined };
      choices.set(leafId, choice);
      showAgain();
      return {
        settled(revision) {
          // A later choice counts.
          if (choices.get(leafId) !== choice) return;
          if (isFuture(revision)) return void choices.set(leafId, { tabId, revision });
          choices.delete(leafId);
          const others = [...state().shown].filter(([id]) => id !== leafId);
          showAgain(revision === undefined ? new Map(others) : undefined);
        },
      };
    },
    preview,
    settleRatio(splitId, revision) {
      if (isFuture(revision)) ratiosUntil.set(splitId, revision);
      else preview(splitId, undefined);
    },
    async runOwnEdit(edit, revisionOf) {
      ownEdits += 1;
      const answer = edit();
      const isThere = answer.then(
        (value) => arrived(revisionOf?.(value)),
        () => {},
      );
      pending.add(isThere);
      void isThere.then(() => pending.delete(isThere));
      try {
        return await answer;
      } finally {
        setTimeout(() => {
          ownEdits -= 1;
        }, OWN_EDIT_GRACE_MS);
      }
    },
    caughtUp: () => (pending.size === 0 ? undefined : Promise.all(pending).then(() => {})),
    close,
  };
}

/** Which tab each panel shows in this browser. */
export type Shown = ReadonlyMap<string, string>;

/** A tab chosen here. It counts until a layout of this revision, or later, arrives. */
type Choice = { tabId: string; revision: number | undefined };

type Before = { layout: Layout | undefined; shown: Shown };

export type Now = {
  choices: ReadonlyMap<string, Choice>;
  /** The tab whose panel has the keyboard focus. */
  typingIn: string | undefined;
  /** An edit of this browser's user is running: they want to see what it brings to the front. */
  isOwn: boolean;
};

/**
 * Which tab each panel shows after a new layout. The browser follows the server's active tab, with one exception: a
 * program never covers the tab in which somebody is typing.
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
 * The tabs whose panels exist in this page: those that were shown once and are still open, and those that a program has
 * activated behind the tab in which somebody is typing. The order never changes: moving an element in the document would
 * reload the frames in it.
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
