import type { Log } from "@backplane/kit/log";

export type Listeners<Event> = {
  /** Returns what ends it. */
  add(listener: (event: Event) => void): () => void;
  tell(event: Event): void;
};

/** One that throws does not keep the others from hearing. */
export function createListeners<Event>(log: Pick<Log, "warn"> | undefined): Listeners<Event> {
  const listeners = new Set<(event: Event) => void>();
  return {
    add(listener) {
      const own = (event: Event): void => listener(event);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    tell(event) {
      for (const listener of [...listeners]) {
        try {
          listener(event);
        } catch (error) {
          log?.warn({ err: error }, "Somebody who was told of a screenshot failed.");
        }
      }
    },
  };
}
