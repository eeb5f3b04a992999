import type { Clock } from "@backplane/kit/clock";
import { tooManyRequests } from "@backplane/kit/http";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import { callerKey, isThisMachine } from "./caller-key.ts";
import { INTENT_LIMITS } from "./contract.ts";

const MINUTE_MS = 60_000;

/** Who may make an intent: rejects with 429 for an address that makes too many. */
export function createAdmission(now: Clock, onFault: (error: unknown) => void): (ip: string) => Promise<void> {
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
    const key = callerKey(ip);
    if (isThisMachine(key)) return;
    const { allowed, retryAfterMs } = await creates.take(key);
    if (!allowed) throw tooManyRequests(retryAfterMs);
  };
}
