import { INTENT_LIMITS, POLL_INTERVAL_MS } from "@backplane/contract/intents";
import type { Clock } from "@backplane/kit/clock";
import { callerKey, isThisMachine, tooManyRequests } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { createInProcessRateLimiter, createRateLimiter } from "@backplane/kit/rate-limiter";

const MINUTE_MS = 60_000;
const POLL_WINDOW_MS = 10_000;

type AdmissionOptions = {
  now: Clock;
  /** Whether all callers together have reached the limit of unanswered intents. */
  isFull: () => boolean;
  onFault: (error: unknown) => void;
};

/** Rejects with 429 when an address creates too many intents, or all callers together have too many. */
export function createAdmission({ now, isFull, onFault }: AdmissionOptions): (ip: string) => Promise<void> {
  // Per instance: a shared limit would cost a Redis command per intent.
  const creates = createRateLimiter({
    name: "intents-creates",
    limit: INTENT_LIMITS.createsPerMinute,
    windowMs: MINUTE_MS,
    redis: undefined,
    now,
    onFault,
  });
  return async (ip) => {
    // They are counted again after a minute.
    if (isFull()) throw tooManyRequests(MINUTE_MS);
    const key = callerKey(ip);
    if (isThisMachine(key)) return;
    const { allowed, retryAfterMs } = await creates.take(key);
    if (!allowed) throw tooManyRequests(retryAfterMs);
  };
}

/** Throws 429 when a caller asks about one intent too often. */
export type LimitPolls = (pollKey: string) => void;

/** What the polls of one caller about one intent are counted by. */
export const pollKeyOf = (hash: string, callerKey: string): string => hash + callerKey;

/** Per instance: a shared limit would cost a Redis command per call. */
export function createPollLimit(now: Clock): LimitPolls {
  const polls = createInProcessRateLimiter({
    name: "intents-polls",
    limit: INTENT_LIMITS.pollsPerTenSeconds,
    windowMs: POLL_WINDOW_MS,
    now,
  });
  return (pollKey) => {
    const { allowed, retryAfterMs } = polls.takeNow(pollKey);
    if (!allowed)
      throw tooMany(`Ask every ${POLL_INTERVAL_MS / 1_000} s, or wait on a stream.`, Math.ceil(retryAfterMs / 1_000));
  };
}

export const tooMany = (detail: string, seconds: number): Problem =>
  new Problem("too-many-requests", { detail, headers: { "retry-after": String(Math.max(1, seconds)) } });
