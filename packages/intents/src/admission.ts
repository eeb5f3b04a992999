import { INTENT_LIMITS } from "@backplane/contract/intents";
import type { Clock } from "@backplane/kit/clock";
import { callerKey, isThisMachine, tooManyRequests } from "@backplane/kit/http";
import { createRateLimiter } from "@backplane/kit/rate-limiter";

const MINUTE_MS = 60_000;

/** Until the next count. */
const FULL_RETRY_MS = 60_000;

type AdmissionOptions = {
  now: Clock;
  /** Whether there are as many as there may be, of all callers together. */
  isFull: () => boolean;
  onFault: (error: unknown) => void;
};

/** Who may make an intent: rejects with 429 for an address that makes too many, or when there are too many. */
export function createAdmission({ now, isFull, onFault }: AdmissionOptions): (ip: string) => Promise<void> {
  // Of this instance: one that many share would cost a command an intent.
  const creates = createRateLimiter({
    name: "intents-creates",
    limit: INTENT_LIMITS.createsPerMinute,
    windowMs: MINUTE_MS,
    redis: undefined,
    now,
    onFault,
  });
  return async (ip) => {
    if (isFull()) throw tooManyRequests(FULL_RETRY_MS);
    const key = callerKey(ip);
    if (isThisMachine(key)) return;
    const { allowed, retryAfterMs } = await creates.take(key);
    if (!allowed) throw tooManyRequests(retryAfterMs);
  };
}
