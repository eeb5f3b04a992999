import { BusFault, guarded, type OnFault } from "../bus/fault.ts";
import { checkKey } from "../bus/message.ts";
import { defineRedisScript, type RedisScripts } from "../bus/redis-script.ts";
import type { Clock } from "../clock.ts";
import { allowed, paceOf, refused } from "./gcra.ts";
import { createInProcessRateLimiter } from "./in-process.ts";
import type { RateLimit, RateLimiter, Take } from "./rate-limiter.ts";

/**
 * `takeAt` of gcra.ts in one atomic step, by the server's clock: the instances' own clocks differ. "%.0f" because Lua
 * writes large numbers with 14 digits only. The key expires when it is at rest, which means the same as a missing key.
 * Returns {1, microseconds in hand} or {0, microseconds to wait}.
 */
const TAKE = defineRedisScript(`
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call("TIME")
local now = time[1] * 1000000 + time[2]
local rest = tonumber(redis.call("GET", KEYS[1]) or now)
local from = math.min(math.max(rest, now), now + burst)
local ahead = from + interval - now
local allowed = ahead <= burst
local next = allowed and from + interval or from
if next ~= rest then
  redis.call("SET", KEYS[1], string.format("%.0f", next), "PX", math.ceil((next - now) / 1000))
end
if allowed then return {1, burst - ahead} end
return {0, ahead - burst}`);

/** `giveBackAt` of gcra.ts, likewise. */
const GIVE_BACK = defineRedisScript(`
local rest = tonumber(redis.call("GET", KEYS[1]))
if not rest then return 0 end
local time = redis.call("TIME")
local now = time[1] * 1000000 + time[2]
local before = rest - tonumber(ARGV[1])
if before > now then
  redis.call("SET", KEYS[1], string.format("%.0f", before), "PX", math.ceil((before - now) / 1000))
else
  redis.call("DEL", KEYS[1])
end
return 1`);

/**
 * Counts across all instances. While Redis is away each instance counts by itself: a limit times the number of
 * instances is better than none, and better than refusing everybody. `onFault` is called once per outage.
 */
export function createRedisRateLimiter(
  parameters: RateLimit & { redis: RedisScripts; now: Clock; onFault: OnFault },
): RateLimiter {
  const { name, redis } = parameters;
  const onFault = guarded(parameters.onFault);
  const { intervalUs, burstUs } = paceOf(parameters);
  const ownCount = createInProcessRateLimiter(parameters);
  const pace = [String(intervalUs), String(burstUs)];
  let alone = false;

  /** What Redis answers; undefined while it is away. */
  async function evaluate(script: typeof TAKE, key: string): Promise<unknown> {
    checkKey(key);
    try {
      const reply = await redis.evaluate(script, [`${redis.prefix}rate:${name}:${key}`], pace);
      alone = false;
      return reply;
    } catch (fault) {
      if (!(fault instanceof BusFault && fault.code === "unavailable")) throw fault;
      if (!alone) onFault(new BusFault("unavailable", `Redis is away: rate limit ${name} counts per instance`));
      alone = true;
      return undefined;
    }
  }

  return {
    async take(key) {
      const reply = await evaluate(TAKE, key);
      return reply === undefined ? ownCount.take(key) : toTake(reply, intervalUs);
    },
    async giveBack(key) {
      const reply = await evaluate(GIVE_BACK, key);
      if (reply === undefined) await ownCount.giveBack(key);
    },
  };
}

function toTake(reply: unknown, intervalUs: number): Take {
  const [isAllowed, restUs] = reply as [number, number];
  return isAllowed === 1 ? allowed(Math.floor(restUs / intervalUs)) : refused(restUs);
}
