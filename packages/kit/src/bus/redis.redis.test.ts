import assert from "node:assert/strict";
import { test } from "node:test";
import { testRedisUrl, uniquePrefix } from "../../../../scripts/services/index.ts";
import { trials } from "../../../../scripts/testing/long.ts";
import { busLaws } from "./bus.suite.ts";
import type { BusUnderTest } from "./bus-under-test.suite.ts";
import { claimsBehaveLikeTheModel } from "./claims.property.ts";
import type { BusFault } from "./fault.ts";
import { openBus } from "./index.ts";

async function open(): Promise<BusUnderTest> {
  const url = await testRedisUrl();
  const prefix = uniquePrefix();
  const faults: BusFault[] = [];
  const onFault = (fault: BusFault) => faults.push(fault);
  const one = await openBus({ url, prefix, now: Date.now, onFault });
  const other = await openBus({ url, prefix, now: Date.now, onFault });
  return {
    one,
    other,
    faults,
    advance: () => {},
    async [Symbol.asyncDispose]() {
      await one.close();
      await other.close();
    },
  };
}

busLaws("Redis", open);

test("with an address the bus is on Redis", async () => {
  await using under = await open();
  assert.equal(under.one.engine, "redis");
});

test("buses of different prefixes share neither claims nor messages", async () => {
  await using here = await open();
  await using there = await open();
  assert.equal(await here.one.claims.claim("key", "here", 60_000), true);
  assert.equal(await there.one.claims.claim("key", "there", 60_000), true);
  await there.one.respond("channel", () => "there");
  const reply = await here.one.request("channel", 1, { timeoutMs: 1_000 });
  assert.deepEqual(reply, { ok: false, reason: "no-responder" });
});

test("random sequences of claim, take, release, exchange and read behave like the model", async () => {
  await using under = await open();
  let run = 0;
  await claimsBehaveLikeTheModel({
    numRuns: trials(60),
    canAdvance: false,
    open() {
      run += 1;
      const own = (key: string) => `${run} ${key}`;
      const { claims } = under.one;
      return {
        claims: {
          claim: (key, value, ttlMs) => claims.claim(own(key), value, ttlMs),
          take: (key) => claims.take(own(key)),
          release: (key, value) => claims.release(own(key), value),
          exchange: (key, from, to, ttlMs) => claims.exchange(own(key), from, to, ttlMs),
          read: (key) => claims.read(own(key)),
        },
      };
    },
  });
});
