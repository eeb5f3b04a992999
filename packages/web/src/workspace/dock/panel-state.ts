import type { JsonObject } from "@backplane/contract/panels";

/** As the server merges: key by key, null removes a key. */
export function merge(state: JsonObject, patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...state, ...patch }).filter(([, value]) => value !== null));
}

type Kept = { patch: JsonObject; revision: number | undefined };

export type PanelState = {
  state(): JsonObject;
  onState(listener: (state: JsonObject) => void): () => void;
  /** What a layout says. */
  hear(state: JsonObject, revision: number): void;
  setState(patch: JsonObject): Promise<void>;
  /** Calls those who listen, though the state is the same. */
  tell(): void;
};

/**
 * The state of a tab: the server's, with what was set here on top until a layout has it. `write` gives the revision that
 * has a patch; when it throws, the patch is taken back.
 */
export function createPanelState(
  first: JsonObject,
  write: (patch: JsonObject) => Promise<number | undefined>,
): PanelState {
  const listeners = new Set<(state: JsonObject) => void>();
  let heard = { state: first, revision: 0 };
  let kept: Kept[] = [];
  let shown = first;

  const tell = () => {
    for (const listener of listeners) listener(shown);
  };
  const show = () => {
    const next = kept.reduce((state, { patch }) => merge(state, patch), heard.state);
    // Layouts come for changes of other tabs, too.
    if (JSON.stringify(next) === JSON.stringify(shown)) return;
    shown = next;
    tell();
  };
  const drop = (keep: (each: Kept) => boolean) => {
    kept = kept.filter(keep);
    show();
  };

  return {
    state: () => shown,
    tell() {
      shown = { ...shown };
      tell();
    },
    onState(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hear(state, revision) {
      heard = { state, revision };
      drop((each) => each.revision === undefined || each.revision > revision);
    },
    async setState(patch) {
      const own: Kept = { patch, revision: undefined };
      kept = [...kept, own];
      show();
      try {
        own.revision = await write(patch);
        if (own.revision === undefined || own.revision <= heard.revision) drop((each) => each !== own);
      } catch (error) {
        drop((each) => each !== own);
        throw error;
      }
    },
  };
}
