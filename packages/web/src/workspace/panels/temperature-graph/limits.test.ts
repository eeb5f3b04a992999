import assert from "node:assert/strict";
import { test } from "node:test";
import { extremesOf } from "../../parts/plot/statistics.ts";
import { createTrack, type Track } from "../../parts/plot/track.ts";
import { limitsOf, reportOf, stateWords } from "./limits.ts";

const read = (track: Track, sample: number) => track.valueAt("x", sample);

function trackOf(samples: readonly (readonly [number, number])[]): Track {
  const track = createTrack();
  track.append({
    tMs: samples.map(([t]) => t),
    fields: { x: samples.map(([, x]) => x) },
    isHistory: false,
    thinned: false,
  });
  return track;
}

test("time above a limit counts from sample to sample; gaps count to neither side", () => {
  const hot = Array.from({ length: 20 }, (_, i) => [i * 100, 90] as const);
  const later = Array.from({ length: 10 }, (_, i) => [60_000 + i * 100, i < 5 ? 90 : 20] as const);
  const report = reportOf({ track: trackOf([...hot, ...later]), read }, 80, [0, 1e9]);
  assert.deepEqual(report, { aboveMs: 1_900 + 500, isAbove: false, gapMs: 58_100 });
  assert.deepEqual(stateWords(80, report, true), { tone: "warn", word: "58 s gap" });
  assert.deepEqual(stateWords(80, { ...report, gapMs: 0 }, true), { tone: "ok", word: "Back in" });
  assert.deepEqual(stateWords(80, { ...report, isAbove: true }, true), { tone: "danger", word: "High" });
  assert.equal(stateWords(80, report, false).word, "Lost");
  assert.equal(stateWords(undefined, { aboveMs: 0, isAbove: false, gapMs: 0 }, true).word, "No limit");
});

test("what is only known from the history counts by its means", () => {
  const history = { tMs: [0, 1_000, 2_000], sizeMs: 1_000, min: [70, 70, 90], max: [99, 75, 95], mean: [85, 72, 92] };
  const track = trackOf([
    [2_000, 20],
    [3_000, 20],
  ]);
  const watched = { track, read, history };
  assert.equal(reportOf(watched, 80, [0, 1e9]).aboveMs, 1_000);
  assert.deepEqual(extremesOf(watched, [0, 1e9]), { min: 20, max: 99 });
  assert.deepEqual(extremesOf(watched, [1_000, 1e9]), { min: 20, max: 75 });
});

test("limits that are no numbers are none", () => {
  assert.deepEqual(limitsOf({ a: 5, b: "x", c: null }), { a: 5 });
  assert.deepEqual([limitsOf(null), limitsOf("x")], [{}, {}]);
});
