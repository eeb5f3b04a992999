import type { Clock } from "../clock.ts";
import type { Claims } from "./bus.ts";
import { BusFault } from "./fault.ts";
import { MAX_IN_PROCESS_CLAIMS } from "./limits.ts";
import { checkClaimValue, checkKey, checkTtl } from "./message.ts";

/** Each claim looks at two others, so that ended claims are removed faster than new ones come, without any timer. */
const SWEPT_PER_CLAIM = 2;

interface Held {
  value: string;
  endsAtMs: number;
}

/** Claims of one process, ending by the given clock. Atomic because nothing here waits between look and change. */
export function createInProcessClaims(parameters: { now: Clock; isClosed: () => boolean; maxClaims?: number }): Claims {
  const { now, isClosed, maxClaims = MAX_IN_PROCESS_CLAIMS } = parameters;
  const held = new Map<string, Held>();
  // Kept between calls: a fresh iterator would walk over the holes of everything deleted before (twice as slow).
  let sweeper = held.entries();

  function sweep(nowMs: number): void {
    for (let looked = 0; looked < SWEPT_PER_CLAIM; looked += 1) {
      const { done, value: entry } = sweeper.next();
      if (done) {
        sweeper = held.entries();
        return;
      }
      if (entry[1].endsAtMs <= nowMs) held.delete(entry[0]);
    }
  }

  function live(key: string): Held | undefined {
    if (isClosed()) throw new BusFault("closed", "the bus is closed");
    checkKey(key);
    const found = held.get(key);
    if (found === undefined || found.endsAtMs > now()) return found;
    held.delete(key);
    return undefined;
  }

  return {
    async claim(key, value, ttlMs) {
      checkClaimValue(value);
      checkTtl(ttlMs);
      if (live(key) !== undefined) return false;
      const nowMs = now();
      sweep(nowMs);
      if (held.size >= maxClaims) {
        throw new BusFault("too-many", `this process holds ${maxClaims} claims already`);
      }
      held.set(key, { value, endsAtMs: nowMs + ttlMs });
      return true;
    },
    async take(key) {
      const found = live(key);
      if (found !== undefined) held.delete(key);
      return found?.value;
    },
    async release(key, value) {
      return live(key)?.value === value && held.delete(key);
    },
    async exchange(key, from, to, ttlMs) {
      checkClaimValue(to);
      checkTtl(ttlMs);
      const found = live(key);
      if (found?.value !== from) return false;
      found.value = to;
      found.endsAtMs = now() + ttlMs;
      return true;
    },
    async read(key) {
      return live(key)?.value;
    },
  };
}
