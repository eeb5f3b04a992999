import { checkKey } from "../bus/message.ts";
import type { Clock } from "../clock.ts";
import { BoundedMap } from "../toolbox/bounded-map.ts";
import { giveBackAt, paceOf, takeAt } from "./gcra.ts";
import { MAX_KEYS_PER_GENERATION, type RateLimit, type RateLimiter, type Take } from "./rate-limiter.ts";

/** Can also answer synchronously, for callers that cannot wait. */
export type InProcessRateLimiter = RateLimiter & { takeNow(key: string): Take };

/**
 * Counts within one process, by the given clock (milliseconds). A key that was not used for a whole window is at rest and
 * may be forgotten. Under a flood of new keys an active one may be forgotten too, and starts over.
 */
export function createInProcessRateLimiter(
  parameters: RateLimit & { now: Clock; maxKeysPerGeneration?: number },
): InProcessRateLimiter {
  const { now, maxKeysPerGeneration = MAX_KEYS_PER_GENERATION } = parameters;
  const pace = paceOf(parameters);
  /** By key: when it is at rest again, in microseconds. */
  const restsAtUs = new BoundedMap<string, number>({
    maxEntries: maxKeysPerGeneration,
    maxAgeMs: pace.burstUs / 1000,
    now,
  });

  function takeNow(key: string): Take {
    checkKey(key);
    const nowUs = Math.round(now() * 1000);
    const { take, restUs } = takeAt(pace, nowUs, restsAtUs.get(key) ?? nowUs);
    restsAtUs.set(key, restUs);
    return take;
  }

  return {
    takeNow,

    take: async (key) => takeNow(key),

    async giveBack(key) {
      checkKey(key);
      const takenUs = restsAtUs.get(key);
      if (takenUs === undefined) return;
      const restUs = giveBackAt(pace, Math.round(now() * 1000), takenUs);
      if (restUs === undefined) restsAtUs.delete(key);
      else restsAtUs.set(key, restUs);
    },
  };
}
