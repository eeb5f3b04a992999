import { BusFault } from "../bus/fault.ts";
import { MAX_LIMIT, MAX_WINDOW_MS, type RateLimit, type Take } from "./rate-limiter.ts";

/**
 * The generic cell rate algorithm (ITU-T I.371, annex A): one number per key, the time at which it would be back at rest
 * ("theoretical arrival time"). Each take moves that by one interval; it may lie at most one burst ahead.
 * Whole microseconds, because fractions of milliseconds would add up to one refusal too many.
 */
export interface Pace {
  readonly intervalUs: number;
  readonly burstUs: number;
}

export function paceOf({ name, limit, windowMs }: RateLimit): Pace {
  if (!/^[a-z0-9-]{1,64}$/.test(name)) {
    throw new BusFault("invalid", "the name of a rate limit has 1 to 64 lower-case letters, digits and dashes");
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new BusFault("invalid", `a rate limit is a whole number of 1 to ${MAX_LIMIT}`);
  }
  if (!Number.isInteger(windowMs) || windowMs < 1 || windowMs > MAX_WINDOW_MS) {
    throw new BusFault("invalid", `a rate limit's window is a whole number of 1 to ${MAX_WINDOW_MS} milliseconds`);
  }
  const intervalUs = Math.max(1, Math.round((windowMs * 1000) / limit));
  return { intervalUs, burstUs: intervalUs * limit };
}

/** One take at `nowUs` of a key that would be at rest at `restUs`. The key's new time of rest comes with the outcome. */
export function takeAt({ intervalUs, burstUs }: Pace, nowUs: number, restUs: number): { take: Take; restUs: number } {
  // Never more than a burst ahead, even when the clock was set back: nobody waits longer than one window.
  const fromUs = Math.min(Math.max(restUs, nowUs), nowUs + burstUs);
  const aheadUs = fromUs + intervalUs - nowUs;
  return aheadUs > burstUs
    ? { take: refused(aheadUs - burstUs), restUs: fromUs }
    : { take: allowed(Math.floor((burstUs - aheadUs) / intervalUs)), restUs: fromUs + intervalUs };
}

/** The time of rest after one take was given back; undefined: the key is at rest. */
export function giveBackAt({ intervalUs }: Pace, nowUs: number, restUs: number): number | undefined {
  const beforeUs = restUs - intervalUs;
  return beforeUs > nowUs ? beforeUs : undefined;
}

export function allowed(remaining: number): Take {
  return { allowed: true, retryAfterMs: 0, remaining };
}

export function refused(waitUs: number): Take {
  return { allowed: false, retryAfterMs: Math.ceil(waitUs / 1000), remaining: 0 };
}
