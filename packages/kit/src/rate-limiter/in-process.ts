import { checkKey } from "../bus/message.ts";
import type { Clock } from "../clock.ts";
import { giveBackAt, paceOf, takeAt } from "./gcra.ts";
import { MAX_KEYS_PER_GENERATION, type RateLimit, type RateLimiter, type Take } from "./rate-limiter.ts";

/** One that can also answer at once, for whoever cannot wait. */
export type InProcessRateLimiter = RateLimiter & { takeNow(key: string): Take };

/**
 * Counts within one process, by the given clock (milliseconds).
 *
 * Keys live in two generations; a key that is used moves to the younger. After a window without use a key is at rest
 * and may be forgotten, so a generation ends after a window, which forgets only such keys, or when it is full, which
 * under a flood of new keys may let an old one begin afresh.
 */
export function createInProcessRateLimiter(
  parameters: RateLimit & { now: Clock; maxKeysPerGeneration?: number },
): InProcessRateLimiter {
  const { now, maxKeysPerGeneration = MAX_KEYS_PER_GENERATION } = parameters;
  const pace = paceOf(parameters);
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  let youngSinceUs = now() * 1000;

  function endGeneration(nowUs: number): void {
    old = young;
    young = new Map();
    youngSinceUs = nowUs;
  }

  function takeNow(key: string): Take {
    checkKey(key);
    const nowUs = Math.round(now() * 1000);
    if (nowUs - youngSinceUs > pace.burstUs || young.size >= maxKeysPerGeneration) endGeneration(nowUs);
    const { take, restUs } = takeAt(pace, nowUs, young.get(key) ?? old.get(key) ?? nowUs);
    young.set(key, restUs);
    return take;
  }

  return {
    takeNow,

    take: async (key) => takeNow(key),

    async giveBack(key) {
      checkKey(key);
      const takenUs = young.get(key) ?? old.get(key);
      if (takenUs === undefined) return;
      const restUs = giveBackAt(pace, Math.round(now() * 1000), takenUs);
      if (restUs !== undefined) {
        (young.has(key) ? young : old).set(key, restUs);
        return;
      }
      young.delete(key);
      old.delete(key);
    },
  };
}
