import { createListeners } from "@backplane/kit/concurrency";

export type Store<State extends object> = {
  /** The same object until something changes, as `useSyncExternalStore` needs it. */
  state(): State;
  subscribe(listener: () => void): () => void;
  update(change: Partial<State>): void;
};

/** State outside React that components subscribe to. */
export function createStore<State extends object>(initial: State): Store<State> {
  const listeners = createListeners((error) => reportError(error));
  let state = initial;
  return {
    state: () => state,
    subscribe: listeners.add,
    update(change) {
      state = { ...state, ...change };
      listeners.emit();
    },
  };
}
