import type { Clock } from "@backplane/kit/clock";
import type { ShortLivedEntries } from "./short-lived-entries.ts";

type Kept = { value: string; endsAtMs: number };

/** Keys that nobody asks for any more are looked after when there are so many. */
const FIRST_SWEEP_KEYS = 1_000;

export function createInProcessEntries(now: Clock, max: number): ShortLivedEntries {
  const keys = new Map<string, Map<string, Kept>>();
  let sweepAtKeys = FIRST_SWEEP_KEYS;

  /** Those that have not ended; the others are forgotten. */
  function live(key: string): Map<string, Kept> | undefined {
    const kept = keys.get(key);
    if (!kept) return undefined;
    const nowMs = now();
    for (const [id, { endsAtMs }] of kept) if (endsAtMs <= nowMs) kept.delete(id);
    if (kept.size > 0) return kept;
    keys.delete(key);
    return undefined;
  }

  function sweep(): void {
    for (const key of keys.keys()) live(key);
    sweepAtKeys = Math.max(FIRST_SWEEP_KEYS, 2 * keys.size);
  }

  const all = (kept: Map<string, Kept> | undefined) => [...(kept ?? [])].map(([id, { value }]) => ({ id, value }));

  return {
    async put(key, entries, lifeMs) {
      const kept = live(key) ?? new Map<string, Kept>();
      for (const { id, value } of entries) {
        if (kept.has(id) || kept.size < max) kept.set(id, { value, endsAtMs: now() + lifeMs });
      }
      if (kept.size > 0) keys.set(key, kept);
      if (keys.size >= sweepAtKeys) sweep();
      return all(kept);
    },
    async remove(key, id) {
      const kept = keys.get(key);
      kept?.delete(id);
      if (kept?.size === 0) keys.delete(key);
    },
    list: async (key) => all(live(key)),
  };
}
