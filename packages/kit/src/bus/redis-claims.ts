import type { Claims } from "./bus.ts";
import { checkClaimValue, checkKey, checkTtl } from "./message.ts";
import type { RedisCommands } from "./redis-link.ts";
import { defineRedisScript } from "./redis-script.ts";

/** Comparing and changing in one step: between two commands the claim could end and somebody else's begin. */
const RELEASE = defineRedisScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0`);

const EXCHANGE = defineRedisScript(`
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
return 1`);

export function createRedisClaims({ prefix, run, evaluate }: RedisCommands): Claims {
  function nameOf(key: string): string {
    checkKey(key);
    return `${prefix}claim:${key}`;
  }

  return {
    async claim(key, value, ttlMs) {
      const name = nameOf(key);
      checkClaimValue(value);
      checkTtl(ttlMs);
      const reply = await run((client) => client.sendCommand(["SET", name, value, "PX", String(ttlMs), "NX"]));
      return reply !== null;
    },
    async take(key) {
      const name = nameOf(key);
      return (await run((client) => client.getDel(name))) ?? undefined;
    },
    async release(key, value) {
      return (await evaluate(RELEASE, [nameOf(key)], [value])) === 1;
    },
    async exchange(key, from, to, ttlMs) {
      checkClaimValue(to);
      checkTtl(ttlMs);
      return (await evaluate(EXCHANGE, [nameOf(key)], [from, to, String(ttlMs)])) === 1;
    },
    async read(key) {
      const name = nameOf(key);
      return (await run((client) => client.sendCommand<string | null>(["GET", name]))) ?? undefined;
    },
  };
}
