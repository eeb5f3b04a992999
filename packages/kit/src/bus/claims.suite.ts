import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import { until } from "../../../../scripts/testing/until.ts";
import type { OpenForTest } from "./bus-under-test.suite.ts";
import { MAX_CLAIM_TTL_MS, MAX_CLAIM_VALUE_BYTES, MAX_KEY_LENGTH } from "./limits.ts";

const CONCURRENT = 500;
const LONG_MS = 60_000;
const SHORT_MS = 60;
/** Long enough that a busy machine extends the claim in time. */
const EXTENDED_MS = 2_000;

export function claimsLaws(engine: string, open: OpenForTest): void {
  const rule = ruleTest(engine);

  test("of 500 concurrent claims of one key exactly one wins, and it is the one that is held", async () => {
    await using under = await open();
    const ends = [under.one.claims, under.other.claims];
    const won = await Promise.all(
      Array.from({ length: CONCURRENT }, (_, i) => ends[i % 2]?.claim("key", `value ${i}`, LONG_MS)),
    );
    assert.equal(won.filter(Boolean).length, 1);
    assert.equal(await under.other.claims.read("key"), `value ${won.indexOf(true)}`);
  });

  test("of 500 concurrent takes exactly one gets the value, and the key is free again", async () => {
    await using under = await open();
    const ends = [under.one.claims, under.other.claims];
    await under.one.claims.claim("key", "value", LONG_MS);
    const taken = await Promise.all(Array.from({ length: CONCURRENT }, (_, i) => ends[i % 2]?.take("key")));
    assert.deepEqual(
      taken.filter((value) => value !== undefined),
      ["value"],
    );
    assert.equal(await under.other.claims.claim("key", "next", LONG_MS), true);
  });

  test("of 500 concurrent releases of one claim exactly one succeeds", async () => {
    await using under = await open();
    const ends = [under.one.claims, under.other.claims];
    await under.one.claims.claim("key", "value", LONG_MS);
    const released = await Promise.all(
      Array.from({ length: CONCURRENT }, (_, i) => ends[i % 2]?.release("key", "value")),
    );
    assert.equal(released.filter(Boolean).length, 1);
  });

  test("a key that is claimed cannot be claimed again, not even with the same value", async () => {
    await using under = await open();
    assert.equal(await under.one.claims.claim("key", "value", LONG_MS), true);
    assert.equal(await under.one.claims.claim("key", "value", LONG_MS), false);
    assert.equal(await under.other.claims.claim("key", "another", LONG_MS), false);
    assert.equal(await under.other.claims.claim("another key", "value", LONG_MS), true);
  });

  test("a key that is not claimed cannot be taken, read, released or exchanged", async () => {
    await using under = await open();
    assert.equal(await under.one.claims.take("key"), undefined);
    assert.equal(await under.one.claims.read("key"), undefined);
    assert.equal(await under.one.claims.release("key", "value"), false);
    assert.equal(await under.one.claims.exchange("key", "value", "value", LONG_MS), false);
  });

  test("release removes only the claim with that value", async () => {
    await using under = await open();
    await under.one.claims.claim("key", "value", LONG_MS);
    assert.equal(await under.other.claims.release("key", "another"), false);
    assert.equal(await under.one.claims.read("key"), "value");
    assert.equal(await under.other.claims.release("key", "value"), true);
    assert.equal(await under.one.claims.read("key"), undefined);
  });

  test("a claim ends after its ttl, not before, and the key is free again", async () => {
    await using under = await open();
    const startMs = performance.now();
    await under.one.claims.claim("key", "value", SHORT_MS);
    let isFree = await under.other.claims.claim("key", "another", LONG_MS);
    // Only Redis has its own clock: a slow machine may take longer than the ttl to get here.
    if (under.one.engine !== "redis") assert.equal(isFree, false);
    under.advance(SHORT_MS);
    await until("the claim ended", async () => {
      isFree ||= await under.other.claims.claim("key", "another", LONG_MS);
      return isFree;
    });
    if (under.one.engine === "redis") assert.ok(performance.now() - startMs >= SHORT_MS - 1);
    assert.equal(await under.one.claims.release("key", "value"), false);
    assert.equal(await under.one.claims.take("key"), "another");
  });

  test("an ended claim can be neither taken nor exchanged", async () => {
    await using under = await open();
    await under.one.claims.claim("key", "value", SHORT_MS);
    under.advance(SHORT_MS);
    await until("the claim ended", async () => (await under.other.claims.read("key")) === undefined);
    assert.equal(await under.one.claims.exchange("key", "value", "value", LONG_MS), false);
    assert.equal(await under.one.claims.take("key"), undefined);
  });

  test("exchange extends a claim, and only the one with that value", async () => {
    await using under = await open();
    await under.one.claims.claim("held", "value", EXTENDED_MS);
    await under.one.claims.claim("lost", "value", EXTENDED_MS);
    assert.equal(await under.other.claims.exchange("held", "value", "value", LONG_MS), true);
    assert.equal(await under.other.claims.exchange("lost", "another", "another", LONG_MS), false);
    under.advance(EXTENDED_MS);
    await until("the claim that was not exchanged ended", async () => {
      return (await under.one.claims.read("lost")) === undefined;
    });
    assert.equal(await under.one.claims.read("held"), "value");
  });

  test("exchange replaces the given value, and no other", async () => {
    await using under = await open();
    await under.one.claims.claim("key", "old", LONG_MS);
    assert.equal(await under.other.claims.exchange("key", "another", "new", LONG_MS), false);
    assert.equal(await under.one.claims.read("key"), "old");
    assert.equal(await under.other.claims.exchange("key", "old", "new", LONG_MS), true);
    assert.equal(await under.one.claims.read("key"), "new");
    assert.equal(await under.one.claims.release("key", "old"), false);
  });

  test("of 500 concurrent exchanges from one value exactly one succeeds", async () => {
    await using under = await open();
    const ends = [under.one.claims, under.other.claims];
    await under.one.claims.claim("key", "old", LONG_MS);
    const won = await Promise.all(
      Array.from({ length: CONCURRENT }, (_, i) => ends[i % 2]?.exchange("key", "old", `value ${i}`, LONG_MS)),
    );
    assert.equal(won.filter(Boolean).length, 1);
    assert.equal(await under.other.claims.read("key"), `value ${won.indexOf(true)}`);
  });

  test("read shows the value and leaves it", async () => {
    await using under = await open();
    await under.one.claims.claim("key", "value", LONG_MS);
    assert.equal(await under.other.claims.read("key"), "value");
    assert.equal(await under.other.claims.take("key"), "value");
  });

  test("any text is kept unchanged, up to its limit", async () => {
    await using under = await open();
    const values = ["", " ", "line\r\nend\0", "ü 電 🔌", '{"json":true}', "x".repeat(MAX_CLAIM_VALUE_BYTES)];
    for (const [i, value] of values.entries()) {
      assert.equal(await under.one.claims.claim(`key ${i}`, value, LONG_MS), true);
      assert.equal(await under.other.claims.exchange(`key ${i}`, value, value, LONG_MS), true);
      assert.equal(await under.other.claims.take(`key ${i}`), value);
    }
  });

  rule("a key, value or ttl outside its limits is refused with its code and changes nothing", async () => {
    await using under = await open();
    const { claims } = under.one;
    for (const key of ["", "k".repeat(MAX_KEY_LENGTH + 1)]) {
      await assert.rejects(claims.claim(key, "value", LONG_MS), { code: "invalid" });
      await assert.rejects(claims.take(key), { code: "invalid" });
      await assert.rejects(claims.release(key, "value"), { code: "invalid" });
    }
    for (const ttlMs of [0, -1, 1.5, Number.NaN, MAX_CLAIM_TTL_MS + 1]) {
      await assert.rejects(claims.claim("key", "value", ttlMs), { code: "invalid" });
      await assert.rejects(claims.exchange("key", "value", "value", ttlMs), { code: "invalid" });
    }
    const tooLarge = "é".repeat(MAX_CLAIM_VALUE_BYTES / 2 + 1);
    await assert.rejects(claims.claim("key", tooLarge, LONG_MS), { code: "too-large" });
    assert.equal(await claims.read("key"), undefined);
    assert.equal(await claims.claim("k".repeat(MAX_KEY_LENGTH), "value", MAX_CLAIM_TTL_MS), true);
  });
}
