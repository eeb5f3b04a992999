import assert from "node:assert/strict";
import { test } from "node:test";
import { trials } from "../../../../scripts/testing/long.ts";
import { busLaws } from "./bus.suite.ts";
import type { BusUnderTest } from "./bus-under-test.suite.ts";
import { claimsBehaveLikeTheModel } from "./claims.property.ts";
import type { BusFault } from "./fault.ts";
import { createInProcessBus, createInProcessClaims } from "./in-process.ts";
import { openBus } from "./index.ts";

async function open(): Promise<BusUnderTest> {
  let nowMs = 1_000_000;
  const faults: BusFault[] = [];
  const bus = createInProcessBus({ now: () => nowMs, onFault: (fault) => faults.push(fault) });
  return {
    one: bus,
    other: bus,
    faults,
    advance(ms) {
      nowMs += ms;
    },
    [Symbol.asyncDispose]: () => bus.close(),
  };
}

busLaws("in-process", open);

test("without an address the bus is in-process", async () => {
  const bus = await openBus({ now: Date.now, onFault: () => {} });
  assert.equal(bus.engine, "in-process");
  assert.equal(bus.redis, undefined);
  await bus.close();
});

test("random sequences of claim, take, release, exchange, read and passing time behave like the model", async () => {
  await claimsBehaveLikeTheModel({
    numRuns: trials(5_000),
    canAdvance: true,
    open() {
      let nowMs = 0;
      const bus = createInProcessBus({ now: () => nowMs, onFault: () => {} });
      return {
        claims: bus.claims,
        advance(ms) {
          nowMs += ms;
        },
      };
    },
  });
});

test("a claim ends exactly when its ttl is over, by the given clock", async () => {
  await using under = await open();
  await under.one.claims.claim("key", "value", 1_000);
  under.advance(999);
  assert.equal(await under.one.claims.read("key"), "value");
  under.advance(1);
  assert.equal(await under.one.claims.read("key"), undefined);
});

test("ended claims make room by themselves: far more than the limit can come and go", async () => {
  let nowMs = 0;
  const claims = createInProcessClaims({ now: () => nowMs, isClosed: () => false, maxClaims: 1_000 });
  for (let i = 0; i < trials(100_000); i += 1) {
    nowMs += 1;
    assert.equal(await claims.claim(`key ${i}`, "", 400), true);
  }
});

test("more live claims than the limit are refused with their code", async () => {
  const claims = createInProcessClaims({ now: () => 0, isClosed: () => false, maxClaims: 1_000 });
  for (let i = 0; i < 1_000; i += 1) await claims.claim(`key ${i}`, "", 1_000);
  await assert.rejects(claims.claim("one more", "", 1_000), { code: "too-many" });
  await claims.take("key 0");
  assert.equal(await claims.claim("one more", "", 1_000), true);
});

test("a time-out uses the given timer", async () => {
  let fire = () => {};
  const bus = createInProcessBus({
    now: () => 0,
    onFault: () => {},
    setTimer(callback) {
      fire = callback;
      return () => {};
    },
  });
  await bus.respond("never", () => new Promise(() => {}));
  const reply = bus.request("never", 1, { timeoutMs: 600_000 });
  fire();
  assert.deepEqual(await reply, { ok: false, reason: "timeout" });
  await bus.close();
});

test("an onFault that throws does no harm", async () => {
  const bus = createInProcessBus({
    now: () => 0,
    onFault() {
      throw new Error("of the listener");
    },
  });
  await bus.respond("fails", () => {
    throw new Error("of the responder");
  });
  assert.deepEqual(await bus.request("fails", 1, { timeoutMs: 1_000 }), { ok: false, reason: "responder-failed" });
  await bus.close();
});
