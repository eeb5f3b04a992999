import { Problem } from "@backplane/kit/problems";

export type Gate = {
  /** Waits until it is its turn. Throws too-many-requests when too many wait already. */
  through<T>(work: () => Promise<T>): Promise<T>;
};

/** Lets a few pieces of work through at a time. */
export function createGate(atOnce: number, maxWaiting: number): Gate {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    async through(work) {
      if (inside >= atOnce) {
        if (waiting.length >= maxWaiting) {
          const detail = "Many searches are under way. Try again in a moment.";
          throw new Problem("too-many-requests", { detail, headers: { "retry-after": "1" } });
        }
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else inside += 1;
      try {
        return await work();
      } finally {
        // Whoever waits takes over the place.
        const next = waiting.shift();
        if (next) next();
        else inside -= 1;
      }
    },
  };
}
