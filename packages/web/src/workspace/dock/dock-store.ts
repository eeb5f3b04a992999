import type { Layout } from "@backplane/contract/panels";
import type { LiveClient } from "../live/live-client.ts";
import { type Choice, follow, type Now, type Shown } from "./shown-tabs.ts";

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
