import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack, type Track } from "./track.ts";

const add = (track: Track, tMs: number[], x: (number | null)[] = tMs, isHistory = false) =>
  track.append({ tMs, fields: { x }, isHistory, thinned: false });

const all = (track: Track): [number, number][] =>
  Array.from({ length: track.next - track.first }, (_, i) => [
    track.timeAt(track.first + i),
    track.valueAt("x", track.first + i),
  ]);

test("history replaces what is there at its first time and later: no hole and nothing twice", () => {
  const track = createTrack();
  add(track, [10, 20, 30]);
  add(track, [1_000, 2_000]);
  const before = track.revision;
  add(track, [30, 40, 50], [300, 400, 500], true);
  add(track, [60], [600], true);
  add(track, [70], [700]);
  assert.deepEqual(all(track), [
    [10, 10],
    [20, 20],
    [30, 300],
    [40, 400],
    [50, 500],
    [60, 600],
    [70, 700],
  ]);
  assert.equal(track.revision, before + 1, "pieces that follow each other replace nothing");
});

test("a reset drops everything, also without rows: a replay began, jumped or ended", () => {
  const track = createTrack();
  add(track, [10, 20, 30]);
  const before = track.revision;
  track.append({ tMs: [], fields: {}, isHistory: false, thinned: false, isReset: true });
  assert.deepEqual([all(track), track.revision], [[], before + 1]);
  add(track, [5, 6]);
  assert.deepEqual(all(track), [
    [5, 5],
    [6, 6],
  ]);
  assert.equal(track.from(0), track.first);
});

test("no value is not a number, also in fields that come later or stay away", () => {
  const track = createTrack();
  track.append({ tMs: [1, 2], fields: { a: [1, null] }, isHistory: false, thinned: false });
  track.append({ tMs: [3], fields: { b: [true] }, isHistory: false, thinned: false });
  track.append({ tMs: [4], fields: { a: ["text"] }, isHistory: false, thinned: false });
  const values = (field: string) => [0, 1, 2, 3].map((sample) => track.valueAt(field, sample));
  assert.deepEqual(values("a"), [1, Number.NaN, Number.NaN, Number.NaN]);
  assert.deepEqual(values("b"), [Number.NaN, Number.NaN, 1, Number.NaN]);
});

test("memory is bounded: the oldest samples go, numbers of the others stay", () => {
  const track = createTrack();
  for (let from = 0; from < 200_000; from += 1_000)
    add(
      track,
      Array.from({ length: 1_000 }, (_, i) => from + i),
    );
  assert.equal(track.next, 200_000);
  assert.ok(track.next - track.first <= 65_536 && track.next - track.first > 30_000);
  for (const sample of [track.first, 150_000, 199_999]) {
    assert.equal(track.timeAt(sample), sample);
    assert.equal(track.valueAt("x", sample), sample);
  }
  assert.equal(track.from(180_000.5), 180_001);
  assert.equal(track.from(0), track.first);
});

test("a fast channel keeps ten minutes, and a slow one more, whose samples are few", () => {
  const kept = (stepMs: number, count: number) => {
    const track = createTrack();
    for (let from = 0; from < count; from += 500)
      add(
        track,
        Array.from({ length: 500 }, (_, i) => (from + i) * stepMs),
      );
    return track.next - track.first;
  };
  const fast = kept(20, 90_000);
  assert.ok(fast >= 30_000 && fast <= 30_000 * 1.3, `${fast} of 30000`);
  const slow = kept(1_000, 90_000);
  assert.ok(slow >= 8_192 && slow <= 8_192 * 1.3, `${slow} of 8192`);
});

test("a channel has a period when its samples are even, and none when they come as things change", () => {
  const even = createTrack();
  add(
    even,
    Array.from({ length: 50 }, (_, i) => i * 20 + (i % 3)),
  );
  assert.ok(Math.abs((even.periodMs() ?? 0) - 20) < 3);
  const uneven = createTrack();
  add(
    uneven,
    Array.from({ length: 50 }, (_, i) => 1.5 ** i),
  );
  assert.equal(uneven.periodMs(), undefined);
});

test("lists and texts are kept as they came, beside numbers, and are dropped with their samples", () => {
  const track = createTrack({ keptMs: 1_500 });
  const batch = { isHistory: false, thinned: false };
  track.append({ ...batch, tMs: [0, 1_000], fields: { q: [[1, 2], null], word: ["a", "b"], x: [7, 8] } });
  assert.deepEqual(track.dataAt("q", 0), [1, 2]);
  assert.equal(track.dataAt("q", 1), null);
  assert.deepEqual([track.dataAt("word", 1), track.dataAt("x", 1), track.valueAt("x", 1)], ["b", null, 8]);
  assert.ok(Number.isNaN(track.valueAt("q", 0)));
  track.append({ ...batch, isHistory: true, tMs: [1_000, 2_000], fields: { x: [9, 10] } });
  assert.equal(track.dataAt("word", 1), null, "replaced by history that has none");
  assert.equal(track.first, 1, "what is too old is dropped");
  for (let i = 0; i < 5_000; i += 1) track.append({ ...batch, tMs: [3_000 + i], fields: { q: [[i]] } });
  assert.deepEqual(track.dataAt("q", track.next - 1), [4_999]);
  assert.ok(track.next - track.first <= 1_501);
});
