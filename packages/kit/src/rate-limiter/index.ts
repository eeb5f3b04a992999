import type { OnFault } from "../bus/fault.ts";
import type { RedisScripts } from "../bus/redis-script.ts";
import type { Clock } from "../clock.ts";
import { createInProcessRateLimiter } from "./in-process.ts";
import type { RateLimit, RateLimiter } from "./rate-limiter.ts";
import { createRedisRateLimiter } from "./redis.ts";

export { createInProcessRateLimiter, type InProcessRateLimiter } from "./in-process.ts";
export type { RateLimit, RateLimiter, Take } from "./rate-limiter.ts";

/** A rate limiter on the engine of the bus: pass the open bus's `redis`. */
export function createRateLimiter(
  parameters: RateLimit & { redis: RedisScripts | undefined; now: Clock; onFault: OnFault },
): RateLimiter {
  const { redis } = parameters;
  return redis === undefined
    ? createInProcessRateLimiter(parameters)
    : createRedisRateLimiter({ ...parameters, redis });
}
