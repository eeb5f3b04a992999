import type { Clock } from "@backplane/kit/clock";

export type PartOptions<T> = {
  read: () => Promise<T>;
  /** An answer is used again for this long. */
  cacheMs: number;
  timeoutMs: number;
  now: Clock;
};

/**
 * Reads something that may hang: callers wait only until the time-out, share what was read lately, and never start a second
 * read while one is under way, so that nothing piles up behind what does not answer.
 */
export function createPart<T>({ read, cacheMs, timeoutMs, now }: PartOptions<T>): () => Promise<T> {
  let known: { atMs: number; value: T } | undefined;
  let reading: Promise<T> | undefined;

  async function refresh(): Promise<T> {
    try {
      const value = await read();
      known = { atMs: now(), value };
      return value;
    } finally {
      reading = undefined;
    }
  }

  return async () => {
    if (known && now() - known.atMs < cacheMs) return known.value;
    reading ??= refresh();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("no answer in time")), timeoutMs);
    try {
      return await Promise.race([reading, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
