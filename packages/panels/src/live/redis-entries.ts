import { hash } from "node:crypto";
import type { RedisScripts } from "@backplane/kit/bus";
import type { Entry, ShortLivedEntries } from "./short-lived-entries.ts";

const defineScript = (text: string) => ({ text, sha1: hash("sha1", text, "hex") });

/**
 * A hash for each key: id → `<end in ms> <value>`, by the server's clock, since the instances' own differ. The hash
 * lives as long as the last of its entries.
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

/** ARGV: how many there may be, how long they live, then ids and values in turn. */
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

export function createRedisEntries(redis: RedisScripts, max: number): ShortLivedEntries {
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
