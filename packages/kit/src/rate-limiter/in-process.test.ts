import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { trials } from "../../../../scripts/testing/long.ts";
import { createInProcessRateLimiter } from "./in-process.ts";
import { createRateLimiter } from "./index.ts";
import { rateLimiterLaws } from "./rate-limiter.suite.ts";
import type { RateLimiter } from "./rate-limiter.ts";

rateLimiterLaws("in-process", async () => {
  let nowMs = 1_700_000_000_000;
  const limiters = new Map<string, RateLimiter>();
  return {
    limiter(limit) {
      const limiter =
        limiters.get(limit.name) ??
        createRateLimiter({ ...limit, redis: undefined, now: () => nowMs, onFault: () => {} });
      limiters.set(limit.name, limiter);
      return limiter;
    },
    advance(ms) {
      nowMs += ms;
    },
    nowMs: () => nowMs,
    async [Symbol.asyncDispose]() {},
  };
});

test("however takes are spread, no period sees more than a burst plus the sustained rate", async () => {
  const limits = fc.record({ limit: fc.integer({ min: 1, max: 8 }), windowMs: fc.integer({ min: 1, max: 50 }) });
  const pauses = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(limits, pauses, async ({ limit, windowMs }, pausesMs) => {
      let nowMs = 1_700_000_000_000;
      const limiter = createInProcessRateLimiter({ name: "p", limit, windowMs, now: () => nowMs });
      const allowedAtMs: number[] = [];
      for (const pauseMs of pausesMs) {
        nowMs += pauseMs;
        const { allowed, retryAfterMs } = await limiter.take("key");
        if (allowed) allowedAtMs.push(nowMs);
        else assert.ok(retryAfterMs >= 1 && retryAfterMs <= Math.ceil(windowMs / limit) + 1);
      }
      for (const [i, fromMs] of allowedAtMs.entries()) {
        for (const [j, toMs] of allowedAtMs.entries()) {
          if (j >= i) assert.ok(j - i + 1 <= limit + ((toMs - fromMs) * limit) / windowMs + 0.01);
        }
      }
    }),
    { numRuns: trials(2_000) },
  );
});

test("a flood of new keys evicts those that were unused longest, and never one in use", async () => {
  const limiter = createInProcessRateLimiter({
    name: "flood",
    limit: 1,
    windowMs: 60_000,
    now: () => 0,
    maxKeysPerGeneration: 100,
  });
  await limiter.take("unused");
  await limiter.take("used");
  for (let i = 0; i < 1_000; i += 1) {
    await limiter.take(`flood ${i}`);
    assert.equal((await limiter.take("used")).allowed, false);
  }
  assert.equal((await limiter.take("unused")).allowed, true);
});

test("a clock that is set back makes nobody wait longer than a window", async () => {
  let nowMs = 1_700_000_000_000;
  const limiter = createInProcessRateLimiter({ name: "back", limit: 1, windowMs: 1_000, now: () => nowMs });
  await limiter.take("key");
  nowMs -= 3_600_000;
  const { retryAfterMs } = await limiter.take("key");
  assert.ok(retryAfterMs <= 1_000);
  nowMs += retryAfterMs;
  assert.equal((await limiter.take("key")).allowed, true);
});
