import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@redis/client";
import { startRedis, testRedisUrl, uniquePrefix } from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import type { BusFault } from "../bus/fault.ts";
import { openBus } from "../bus/index.ts";
import { createRateLimiter } from "./index.ts";
import { rateLimiterLaws } from "./rate-limiter.suite.ts";

const onFault = () => {};

rateLimiterLaws("Redis", async () => {
  const url = await testRedisUrl();
  const prefix = uniquePrefix();
  const buses = [
    await openBus({ url, prefix, now: Date.now, onFault }),
    await openBus({ url, prefix, now: Date.now, onFault }),
  ];
  let made = 0;
  return {
    limiter(limit) {
      made += 1;
      return createRateLimiter({ ...limit, redis: buses[made % 2]?.redis, now: Date.now, onFault });
    },
    advance: () => {},
    nowMs: () => performance.now(),
    async [Symbol.asyncDispose]() {
      for (const bus of buses) await bus.close();
    },
  };
});

test("a key that is at rest leaves nothing behind in Redis", async (t) => {
  const url = await testRedisUrl();
  const prefix = uniquePrefix();
  const bus = await openBus({ url, prefix, now: Date.now, onFault });
  t.after(() => bus.close());
  const admin = await createClient({ url }).connect();
  t.after(() => admin.close());
  const limiter = createRateLimiter({ name: "ttl", limit: 2, windowMs: 100, redis: bus.redis, now: Date.now, onFault });
  await limiter.take("key");
  await limiter.take("key");
  // Whole microseconds: Lua's own way of writing them would round to a tenth of a millisecond.
  assert.match((await admin.get(`${prefix}rate:ttl:key`)) ?? "", /^\d{16}$/);
  const ttlMs = await admin.pTTL(`${prefix}rate:ttl:key`);
  assert.ok(ttlMs > 0 && ttlMs <= 101, String(ttlMs));
  await until("the key is gone", async () => (await admin.exists(`${prefix}rate:ttl:key`)) === 0);
});

test("while Redis is away each instance counts by itself, says so once, and counts together again after", async (t) => {
  await using redis = await startRedis();
  const faults: BusFault[] = [];
  const bus = await openBus({ url: redis.url, prefix: uniquePrefix(), now: Date.now, onFault });
  t.after(() => bus.close());
  const limit = { name: "outage", limit: 3, windowMs: 600_000 };
  const limiter = createRateLimiter({
    ...limit,
    redis: bus.redis,
    now: Date.now,
    onFault: (fault) => faults.push(fault),
  });
  const twin = createRateLimiter({ ...limit, redis: bus.redis, now: Date.now, onFault });
  assert.equal((await limiter.take("key")).remaining, 2);
  assert.equal((await twin.take("key")).remaining, 1);

  await redis.stop();
  await until("the bus noticed", () => bus.state() === "degraded");
  const remaining = [];
  for (let i = 0; i < 4; i += 1) remaining.push((await limiter.take("key")).remaining);
  assert.deepEqual(remaining, [2, 1, 0, 0]);
  assert.equal((await limiter.take("key")).allowed, false);
  assert.deepEqual(
    faults.map((fault) => fault.code),
    ["unavailable"],
  );

  await redis.start();
  await until("the bus is up again", () => bus.state() === "up");
  assert.equal((await limiter.take("fresh")).remaining, 2);
  assert.equal((await twin.take("fresh")).remaining, 1);
  assert.equal(faults.length, 1);
  await bus.close();
  await assert.rejects(limiter.take("key"), { code: "closed" });
});

test("a clock that was set back makes nobody wait longer than a window", async (t) => {
  const url = await testRedisUrl();
  const prefix = uniquePrefix();
  const bus = await openBus({ url, prefix, now: Date.now, onFault });
  t.after(() => bus.close());
  const admin = await createClient({ url }).connect();
  t.after(() => admin.close());
  const limiter = createRateLimiter({
    name: "back",
    limit: 1,
    windowMs: 100,
    redis: bus.redis,
    now: Date.now,
    onFault,
  });
  // As the server would have written it before its clock was set back by an hour.
  const restUs = (Date.now() + 3_600_000) * 1_000;
  await admin.set(`${prefix}rate:back:key`, String(restUs), { expiration: { type: "PX", value: 3_600_000 } });
  const { allowed, retryAfterMs } = await limiter.take("key");
  assert.deepEqual({ allowed, retryAfterMs }, { allowed: false, retryAfterMs: 100 });
  await until("it is let through", async () => (await limiter.take("key")).allowed);
});
