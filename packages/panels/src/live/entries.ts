import { hash } from "node:crypto";
import type { OpenBus, RedisScripts } from "@backplane/kit/bus";
import type { Clock } from "@backplane/kit/clock";

export type Entry = { readonly id: string; readonly value: string };

/**
 * Small values by key and id, each with a time to live; the entries of a key are read together. On every engine:
 * - `put` adds or prolongs entries and returns all current ones. A key never gets more than `max` entries.
 * - That holds for any number of concurrent puts.
 * - Expired entries are never returned.
 */
export type ShortLivedEntries = {
  put(key: string, entries: readonly Entry[], lifeMs: number): Promise<Entry[]>;
  remove(key: string, id: string): Promise<void>;
  list(key: string): Promise<Entry[]>;
};

type Kept = { value: string; endsAtMs: number };

/** Expired keys are removed when there are this many, and then at twice the remaining number. */
const FIRST_SWEEP_KEYS = 1_000;

export function createInProcessEntries(now: Clock, max: number): ShortLivedEntries {
  const keys = new Map<string, Map<string, Kept>>();
  let sweepAtKeys = FIRST_SWEEP_KEYS;

  /** Current entries; removes expired ones. */
  function live(key: string): Map<string, Kept> | undefined {
    const kept = keys.get(key);
    if (!kept) return undefined;
    const nowMs = now();
    for (const [id, { endsAtMs }] of kept) if (endsAtMs <= nowMs) kept.delete(id);
    if (kept.size > 0) return kept;
    keys.delete(key);
    return undefined;
  }

  function sweep(): void {
    for (const key of keys.keys()) live(key);
    sweepAtKeys = Math.max(FIRST_SWEEP_KEYS, 2 * keys.size);
  }

  const all = (kept: Map<string, Kept> | undefined) => [...(kept ?? [])].map(([id, { value }]) => ({ id, value }));

  return {
    async put(key, entries, lifeMs) {
      const kept = live(key) ?? new Map<string, Kept>();
      for (const { id, value } of entries) {
        if (kept.has(id) || kept.size < max) kept.set(id, { value, endsAtMs: now() + lifeMs });
      }
      if (kept.size > 0) keys.set(key, kept);
      if (keys.size >= sweepAtKeys) sweep();
      return all(kept);
    },
    async remove(key, id) {
      const kept = keys.get(key);
      kept?.delete(id);
      if (kept?.size === 0) keys.delete(key);
    },
    list: async (key) => all(live(key)),
  };
}

const defineScript = (text: string) => ({ text, sha1: hash("sha1", text, "hex") });

/**
 * One hash per key: id → `<end in ms> <value>`, by the server's clock, since the clocks of instances differ. The hash
 * expires with its last entry.
 */
const LIVE = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local live, count = {}, 0
local all = redis.call("HGETALL", KEYS[1])
for i = 1, #all, 2 do
  local ends, value = string.match(all[i + 1], "^(%d+) (.*)$")
  if tonumber(ends) > now then
    live[all[i]] = value
    count = count + 1
  else
    redis.call("HDEL", KEYS[1], all[i])
  end
end`;
const ANSWER = `
local answer = {}
for id, value in pairs(live) do
  answer[#answer + 1] = id
  answer[#answer + 1] = value
end
return answer`;

const LIST = defineScript(LIVE + ANSWER);

/** ARGV: the limit, the time to live, then ids and values in turn. */
const PUT = defineScript(`${LIVE}
local max, life = tonumber(ARGV[1]), tonumber(ARGV[2])
for i = 3, #ARGV, 2 do
  local id, value = ARGV[i], ARGV[i + 1]
  if not live[id] and count < max then
    count = count + 1
    live[id] = value
  end
  if live[id] then
    live[id] = value
    redis.call("HSET", KEYS[1], id, string.format("%.0f", now + life) .. " " .. value)
    if redis.call("PTTL", KEYS[1]) < life then redis.call("PEXPIRE", KEYS[1], life) end
  end
end
${ANSWER}`);

const REMOVE = defineScript(`return redis.call("HDEL", KEYS[1], ARGV[1])`);

function createRedisEntries(redis: RedisScripts, max: number): ShortLivedEntries {
  const nameOf = (key: string) => `${redis.prefix}panels:${key}`;
  return {
    async put(key, entries, lifeMs) {
      const values = entries.flatMap(({ id, value }) => [id, value]);
      return inPairs(await redis.evaluate(PUT, [nameOf(key)], [String(max), String(Math.ceil(lifeMs)), ...values]));
    },
    async remove(key, id) {
      await redis.evaluate(REMOVE, [nameOf(key)], [id]);
    },
    list: async (key) => inPairs(await redis.evaluate(LIST, [nameOf(key)], [])),
  };
}

function inPairs(reply: unknown): Entry[] {
  const flat = reply as string[];
  const entries: Entry[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) entries.push({ id: flat[i] as string, value: flat[i + 1] as string });
  return entries;
}

/** On the same engine as the bus. */
export const createShortLivedEntries = (bus: Pick<OpenBus, "redis">, now: Clock, max: number): ShortLivedEntries =>
  bus.redis ? createRedisEntries(bus.redis, max) : createInProcessEntries(now, max);
