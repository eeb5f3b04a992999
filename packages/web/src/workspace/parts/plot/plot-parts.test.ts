import assert from "node:assert/strict";
import { test } from "node:test";
import { plotCommand, withCursor, zoomed } from "./plot-keys.ts";
import { createRange, tickStep, ticksOf, timeTicks } from "./range.ts";
import { nearestSample, statisticsOf } from "./statistics.ts";
import { createTrack, type Track } from "./track.ts";
import { changeWords, digitsOf, durationWords, numberWords, withUnit } from "./words.ts";

test("the y axis grows at once, holds still inside, and shrinks after 10 s", () => {
  const range = createRange();
  assert.deepEqual(range([0, 10], [], 0), [-1, 11]);
  assert.deepEqual(range([2, 8], [], 100), [-1, 11]);
  assert.deepEqual(range([0, 20], [], 200), [-2, 22]);
  assert.deepEqual(range([9, 11], [], 300), [-2, 22]);
  assert.deepEqual(range([9, 11], [], 10_000), [-2, 22]);
  const [low, high] = range([9, 11], [], 10_300);
  assert.ok(Math.abs(low - 8.8) < 1e-9 && Math.abs(high - 11.2) < 1e-9);
});

test("a limit within reach is in view, one far away is not; a constant has an axis", () => {
  assert.ok((createRange()([0, 10], [15], 0)[1] as number) > 15);
  assert.ok((createRange()([0, 10], [500], 0)[1] as number) < 20);
  const [low, high] = createRange()([5, 5], [], 0);
  assert.ok(low < 5 && high > 5);
  assert.deepEqual(createRange(4)([9, 11], [], 0), [8, 12]);
});

test("tick steps are 1, 2 or 5 times a power of ten; times are round", () => {
  assert.deepEqual([tickStep(10, 5), tickStep(11, 5), tickStep(0.3, 5), tickStep(700, 4)], [2, 5, 0.1, 200]);
  assert.deepEqual(ticksOf([-0.25, 0.31], 0.1), [-0.2, -0.1, 0, 0.1, 0.2, 0.3]);
  const from = new Date(2026, 0, 5, 14, 30, 51).getTime();
  const ticks = timeTicks([from, from + 20_000], 5);
  assert.deepEqual(
    ticks.map((t) => new Date(t).getSeconds()),
    [55, 0, 5, 10],
  );
});

test("numbers, differences and durations as people write them", () => {
  assert.deepEqual(
    [numberWords(-1234.5, 1), numberWords(-0.001, 2), numberWords(1013.2, 1, { thousands: false })],
    ["−1,234.5", "0.00", "1013.2"],
  );
  assert.deepEqual([changeWords(0.5, 1), changeWords(-3.61, 1), changeWords(0.01, 1)], ["+0.5", "−3.6", "0.0"]);
  assert.deepEqual([withUnit("24.1", "°"), withUnit("24.1", "°C"), withUnit("3", "")], ["24.1°", "24.1 °C", "3"]);
  assert.deepEqual([0, 12, 200, 2_600, 44_000, 789_000, 17_820_000].map(durationWords), [
    "0 s",
    "12 ms",
    "0.2 s",
    "2.6 s",
    "44 s",
    "13 min 09 s",
    "4 h 57 min",
  ]);
  assert.deepEqual([digitsOf([1, 2]), digitsOf([1.25, 3]), digitsOf([1 / 3]), digitsOf([Number.NaN])], [0, 2, 4, 0]);
});

function trackOf(values: (number | null)[]): Track {
  const track = createTrack();
  track.append({ tMs: values.map((_, i) => i * 10), fields: { x: values }, isHistory: false, thinned: false });
  return track;
}
const read = (track: Track, sample: number) => track.valueAt("x", sample);

test("statistics are of the samples in a time, without those that have no value", () => {
  const { count, min, max, mean, deviation } = statisticsOf(trackOf([9, 2, 4, null, 6, 9]), read, [10, 40]);
  assert.deepEqual([count, min, max, mean], [3, 2, 6, 4]);
  assert.ok(Math.abs(deviation - Math.sqrt(8 / 3)) < 1e-12);
  const large = statisticsOf(trackOf(Array.from({ length: 1_000 }, (_, i) => 1e9 + (i % 2))), read, [0, 1e6]);
  assert.ok(Math.abs(large.deviation - 0.5) < 1e-6);
  assert.equal(nearestSample(trackOf([1, 2, 3]), 14), 1);
  assert.equal(nearestSample(createTrack(), 14), undefined);
});

const press = (key: string, more: object = {}) =>
  plotCommand({ key, code: "", shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, ...more });

test("keys move the cursor, mark, zoom, hide and pause; those of the browser are left alone", () => {
  assert.deepEqual(press("ArrowLeft", { shiftKey: true }), { do: "move", by: -1, isLarge: true });
  assert.deepEqual(press("C", { shiftKey: true }), { do: "cursor", place: 1 });
  assert.deepEqual(press("¡", { code: "Digit1", altKey: true }), { do: "toggle", series: 0, isAlone: true });
  assert.deepEqual(press(" "), { do: "pause" });
  assert.equal(press("c", { ctrlKey: true }), undefined);
  assert.equal(press("x"), undefined);
});

test("zooming keeps what is under the cursor in its place", () => {
  assert.deepEqual(zoomed([0, 100], 20, true), [10, 60]);
  assert.deepEqual(zoomed([10, 60], 20, false), [0, 100]);
  assert.deepEqual(zoomed([0, 100], undefined, true), [50, 100]);
  assert.deepEqual(withCursor({ cursors: [], selection: undefined }, 1, 5), [5, 5]);
  assert.deepEqual(withCursor({ cursors: [1, 2], selection: undefined }, 0, 5), [5, 2]);
});
