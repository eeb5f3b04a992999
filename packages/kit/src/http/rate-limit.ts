import type { FastifyRequest } from "fastify";
import { Problem } from "../problems.ts";
import type { RateLimiter } from "../rate-limiter/index.ts";

/** A route's `onRequest` hook that answers too many requests with 429 and Retry-After. Counts per caller's address by default. */
export function limitRate(limiter: RateLimiter, keyOf: (request: FastifyRequest) => string = (request) => request.ip) {
  return async (request: FastifyRequest): Promise<void> => {
    const { allowed, retryAfterMs } = await limiter.take(keyOf(request));
    if (!allowed) throw tooManyRequests(retryAfterMs);
  };
}

export function tooManyRequests(retryAfterMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return new Problem("too-many-requests", {
    detail: `Try again in ${seconds} s.`,
    headers: { "retry-after": String(seconds) },
  });
}
