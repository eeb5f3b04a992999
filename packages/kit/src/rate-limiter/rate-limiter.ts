/**
 * Lets each key through at a sustained rate, with bursts.
 * - A key not seen for `windowMs` may take `limit` times at once; after that once every `windowMs / limit`.
 * - Of any number of concurrent takes no more are allowed than that.
 * - Keys do not affect each other, nor do limiters of different names.
 * - A refused take costs nothing: after `retryAfterMs` the key is allowed again, however often it tried meanwhile.
 * - A take that was given back does not count. A key never has more than its burst, however much is given back.
 */
export interface RateLimiter {
  take(key: string): Promise<Take>;
  /** Undoes one allowed take: for limits that count only failures, and must count before the outcome is known. */
  giveBack(key: string): Promise<void>;
}

export interface Take {
  readonly allowed: boolean;
  /** How long until the next take can be allowed; 0 when this one was. */
  readonly retryAfterMs: number;
  /** How many more takes would be allowed right now. */
  readonly remaining: number;
}

export interface RateLimit {
  /** Tells limiters that share a server apart: lower-case letters, digits and dashes. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

export const MAX_LIMIT = 1_000_000;
export const MAX_WINDOW_MS = 24 * 60 * 60 * 1000;
/** Keys that one process remembers in each of a limiter's two generations; those unused longest are forgotten first. */
export const MAX_KEYS_PER_GENERATION = 100_000;
