import assert from "node:assert/strict";
import { test } from "node:test";
import { ageWords, createFreshness, freshnessWords, rateWords } from "./freshness.ts";

const READY = { state: "ready", lastSeenAt: "2026-01-01T14:12:00" } as const;
const NOW = new Date("2026-01-01T14:20:00");

test("values are old after three periods, and never within a second", () => {
  const slow = createFreshness();
  slow.take([0, 2_000, 4_000]);
  assert.deepEqual([slow.read(9_000).isStale, slow.read(10_500).isStale], [false, true]);
  const fast = createFreshness();
  fast.take(Array.from({ length: 60 }, (_, i) => i * 16));
  assert.deepEqual([fast.read(1_800).isStale, fast.read(2_100).isStale], [false, true]);
  assert.deepEqual(createFreshness().read(5), { ageMs: undefined, rateHz: undefined, isStale: false });
});

test("history that comes again does not count twice", () => {
  const fresh = createFreshness();
  fresh.take([0, 100, 200]);
  fresh.take([100, 200, 300]);
  assert.equal(fresh.read(300).rateHz, 10);
});

test("the row of a device says how fresh its values are", () => {
  const fresh = { ageMs: 12, rateHz: 59.8, isStale: false };
  assert.deepEqual(freshnessWords(READY, fresh, NOW), { tone: undefined, words: "60 Hz" });
  assert.deepEqual(freshnessWords(READY, { ...fresh, ageMs: 6_000, isStale: true }, NOW), {
    tone: "warn",
    words: "values 6.0 s old",
  });
  assert.equal(freshnessWords({ ...READY, state: "lost" }, fresh, NOW).words, "lost at 14:12");
  assert.deepEqual([250, 2.5, 0.1].map(rateWords), ["250 Hz", "2.5 Hz", "every 10 s"]);
  assert.deepEqual([200, 44_000, 780_000, 8_000_000, 200_000_000].map(ageWords), [
    "0.2 s",
    "44 s",
    "13 min",
    "2 h",
    "2 days",
  ]);
});
