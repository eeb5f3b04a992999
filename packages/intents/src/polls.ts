import { INTENT_LIMITS } from "@backplane/contract/intents";
import type { Clock } from "@backplane/kit/clock";
import { Problem } from "@backplane/kit/problems";
import { createInProcessRateLimiter, type InProcessRateLimiter } from "@backplane/kit/rate-limiter";

const POLL_WINDOW_MS = 10_000;

/** Counts the status calls of each caller for each intent; of this instance, as each call would else cost a command. */
export const countPolls = (now: Clock): InProcessRateLimiter =>
  createInProcessRateLimiter({
    name: "intents-polls",
    limit: INTENT_LIMITS.pollsPerTenSeconds,
    windowMs: POLL_WINDOW_MS,
    now,
  });

/** 429 for who asks about one intent faster than anybody needs to. */
export function refusePollFlood(polls: InProcessRateLimiter, hash: string, callerKey: string): void {
  const { allowed, retryAfterMs } = polls.takeNow(hash + callerKey);
  if (!allowed) throw tooManyPolls(retryAfterMs);
}

export const tooManyPolls = (retryAfterMs: number): Problem =>
  tooMany("Ask every 2 s, or wait on a stream.", Math.ceil(retryAfterMs / 1_000));

export const tooMany = (detail: string, seconds: number): Problem =>
  new Problem("too-many-requests", { detail, headers: { "retry-after": String(Math.max(1, seconds)) } });
