import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openBus } from "@backplane/kit/bus";
import { testRedisUrl, uniquePrefix } from "../../../../scripts/services/index.ts";
import { createShortLivedEntries } from "./entries.ts";
import { presenceLaws } from "./presence.suite.ts";
import { createPresence, NOT_SHARING } from "./presence.ts";

const POLL_MS = 10;
const DEADLINE_MS = 120_000;

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    assert.ok(performance.now() < deadlineMs, `this never happened: ${what}`);
    await sleep(POLL_MS);
  }
}

const connect = async (prefix: string) =>
  openBus({ url: await testRedisUrl(), prefix, now: Date.now, onFault: () => {} });

presenceLaws("Redis", async () => {
  const prefix = uniquePrefix();
  const buses = [await connect(prefix), await connect(prefix)] as const;
  let made = 0;
  return {
    presence({ lifeMs, max }) {
      made += 1;
      const entries = createShortLivedEntries(buses[made % 2 === 0 ? 0 : 1], Date.now, max);
      return createPresence(entries, { presenceLifeMs: lifeMs, movingMs: lifeMs });
    },
    advance: () => {},
    until,
    async [Symbol.asyncDispose]() {
      for (const bus of buses) await bus.close();
    },
  };
});

test("a workspace that nobody has open leaves nothing behind in Redis", async (t) => {
  const bus = await connect(uniquePrefix());
  t.after(() => bus.close());
  const presence = createPresence(createShortLivedEntries(bus, Date.now, 5), { presenceLifeMs: 200, movingMs: 200 });
  await presence.beat("w", [{ browserId: "a", since: 1, sharing: NOT_SHARING }]);
  const script = { text: 'return redis.call("PTTL", KEYS[1])', sha1: "0".repeat(40) };
  const ttl = () => bus.redis?.evaluate(script, [`${bus.redis.prefix}panels:browsers:w`], []) as Promise<number>;
  const first = await ttl();
  assert.ok(first > 0 && first <= 200, String(first));
  await until("the key is gone", async () => (await ttl()) === -2);
});
