import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../../../scripts/testing/until.ts";
import { MAX_LIMIT, MAX_WINDOW_MS, type RateLimit, type RateLimiter } from "./rate-limiter.ts";

/** What the laws are checked on. */
export interface LimitersUnderTest extends AsyncDisposable {
  /** A limiter as another instance would make it (the same again when it lives in one process). */
  limiter(limit: RateLimit): RateLimiter;
  /** Moves the clock if it can be moved. Where it cannot, tests wait for what they expect. */
  advance(ms: number): void;
  /** The clock of the limiters, or one that runs at the same rate. */
  nowMs(): number;
}

const CONCURRENT = 500;
/** So long that no take becomes available again while a slow machine runs the test. */
const LONG_MS = MAX_WINDOW_MS;

/** The laws of `rate-limiter.ts`, on any engine. */
export function rateLimiterLaws(engine: string, open: () => Promise<LimitersUnderTest>): void {
  describe(`rate limiter, ${engine}`, () => {
    test("a fresh key may take `limit` times at once and is then refused", async () => {
      await using under = await open();
      // Windows that the limit does not divide are where rounding would refuse one too many or too few.
      for (const limit of [1, 2, 3, 7, 13, 100, 999]) {
        const limiter = under.limiter({ name: `burst-${limit}`, limit, windowMs: LONG_MS });
        for (let taken = 1; taken <= limit; taken += 1) {
          assert.deepEqual(await limiter.take("key"), { allowed: true, retryAfterMs: 0, remaining: limit - taken });
        }
        const { allowed, retryAfterMs, remaining } = await limiter.take("key");
        assert.deepEqual({ allowed, remaining }, { allowed: false, remaining: 0 });
        assert.ok(retryAfterMs > 0 && retryAfterMs <= Math.ceil(LONG_MS / limit), String(retryAfterMs));
      }
    });

    test("of 500 concurrent takes in two instances exactly `limit` are allowed", async () => {
      await using under = await open();
      const limit = { name: "concurrent", limit: 50, windowMs: LONG_MS };
      const limiters = [under.limiter(limit), under.limiter(limit)];
      const takes = await Promise.all(Array.from({ length: CONCURRENT }, (_, i) => limiters[i % 2]?.take("key")));
      assert.equal(takes.filter((take) => take?.allowed).length, 50);
    });

    test("a caller that waits retryAfterMs is let through, once", async () => {
      await using under = await open();
      const limiter = under.limiter({ name: "wait", limit: 2, windowMs: 400 });
      const startMs = under.nowMs();
      let allowed = 0;
      const take = async () => {
        const taken = await limiter.take("key");
        if (taken.allowed) allowed += 1;
        // On a busy machine takes become available again between two calls.
        const most = 2 + Math.floor((under.nowMs() - startMs) / 200);
        assert.ok(allowed <= most, `${allowed} of at most ${most}`);
        return taken;
      };
      let askedAtMs = startMs;
      let retryAfterMs = 0;
      while (retryAfterMs === 0) {
        askedAtMs = under.nowMs();
        ({ retryAfterMs } = await take());
      }
      assert.ok(allowed >= 2);
      under.advance(retryAfterMs);
      await until("it is let through", async () => (await take()).allowed);
      // The call itself takes a moment, by which the reported wait has become shorter.
      assert.ok(under.nowMs() - askedAtMs >= retryAfterMs - 2);
      await take();
    });

    test("a key that tries all the time gets through at the sustained rate, however often it was refused", async () => {
      await using under = await open();
      const intervalMs = 20;
      const limiter = under.limiter({ name: "sustained", limit: 5, windowMs: 5 * intervalMs });
      const startMs = under.nowMs();
      let allowed = 0;
      let lastAllowedMs = startMs;
      while (allowed < 25) {
        const askedMs = under.nowMs();
        if ((await limiter.take("key")).allowed) {
          allowed += 1;
          lastAllowedMs = under.nowMs();
        } else
          assert.ok(askedMs - lastAllowedMs <= intervalMs, `refused ${askedMs - lastAllowedMs} ms after the last one`);
        under.advance(1);
      }
      const most = 5 + Math.ceil((under.nowMs() - startMs) / intervalMs);
      assert.ok(allowed <= most, `${allowed} of at most ${most}`);
    });

    test("after a window of rest a key has its whole burst again", async () => {
      await using under = await open();
      const limiter = under.limiter({ name: "rest", limit: 3, windowMs: 150 });
      for (let taken = 0; taken < 4; taken += 1) await limiter.take("key");
      const restedAtMs = under.nowMs() + 151;
      await until("it has rested", () => {
        under.advance(10);
        return under.nowMs() >= restedAtMs;
      });
      assert.equal((await limiter.take("key")).remaining, 2);
    });

    test("a take that was given back does not count", async () => {
      await using under = await open();
      for (const limit of [1, 3, 7, 100]) {
        const limiter = under.limiter({ name: `back-${limit}`, limit, windowMs: LONG_MS });
        for (let taken = 0; taken < limit; taken += 1) await limiter.take("key");
        assert.equal((await limiter.take("key")).allowed, false);
        await limiter.giveBack("key");
        assert.deepEqual(await limiter.take("key"), { allowed: true, retryAfterMs: 0, remaining: 0 });
        assert.equal((await limiter.take("key")).allowed, false);
        for (let taken = 0; taken < limit; taken += 1) await limiter.giveBack("key");
        assert.equal((await limiter.take("key")).remaining, limit - 1);
      }
    });

    test("a key never has more than its burst, however much is given back", async () => {
      await using under = await open();
      const limiter = under.limiter({ name: "gifts", limit: 2, windowMs: LONG_MS });
      await limiter.giveBack("key");
      await limiter.take("key");
      for (let given = 0; given < 5; given += 1) await limiter.giveBack("key");
      const takes = [await limiter.take("key"), await limiter.take("key"), await limiter.take("key")];
      assert.deepEqual(
        takes.map((take) => take.allowed),
        [true, true, false],
      );
      await assert.rejects(limiter.giveBack(""), { code: "invalid" });
    });

    test("when 500 callers take at once and give back on success, those in progress never exceed the limit", async () => {
      await using under = await open();
      const limit = { name: "under-way", limit: 20, windowMs: LONG_MS };
      const limiters = [under.limiter(limit), under.limiter(limit)];
      let underWay = 0;
      let most = 0;
      await Promise.all(
        Array.from({ length: CONCURRENT }, async (_, i) => {
          const limiter = limiters[i % 2];
          if (!(await limiter?.take("key"))?.allowed) return;
          underWay += 1;
          most = Math.max(most, underWay);
          await new Promise(setImmediate);
          underWay -= 1;
          await limiter?.giveBack("key");
        }),
      );
      assert.ok(most >= 1 && most <= 20, String(most));
      assert.equal((await limiters[0]?.take("key"))?.remaining, 19);
    });

    test("keys do not affect each other, nor do limiters of different names", async () => {
      await using under = await open();
      const limiter = under.limiter({ name: "keys", limit: 1, windowMs: LONG_MS });
      const namesake = under.limiter({ name: "other-keys", limit: 1, windowMs: LONG_MS });
      assert.equal((await limiter.take("a")).allowed, true);
      assert.equal((await limiter.take("b")).allowed, true);
      assert.equal((await namesake.take("a")).allowed, true);
      assert.equal((await limiter.take("a")).allowed, false);
    });

    test("an invalid limit, name or key is refused with its code", async () => {
      await using under = await open();
      const good = { name: "good", limit: 1, windowMs: 1 };
      const wrong: Partial<RateLimit>[] = [
        { name: "" },
        { name: "a:b" },
        { limit: 0 },
        { limit: 1.5 },
        { limit: MAX_LIMIT + 1 },
        { windowMs: 0 },
        { windowMs: Number.NaN },
        { windowMs: MAX_WINDOW_MS + 1 },
      ];
      for (const part of wrong) assert.throws(() => under.limiter({ ...good, ...part }), { code: "invalid" });
      await assert.rejects(under.limiter(good).take(""), { code: "invalid" });
    });
  });
}
