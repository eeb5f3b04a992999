import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonData } from "@backplane/contract/panels";
import { createTrack } from "../../parts/plot/track.ts";
import { errorsAt, leakOf, loadsAt, resetsIn, slicesAt, tasksAt } from "./chip.ts";

function trackOf(samples: readonly Record<string, JsonData>[]) {
  const track = createTrack();
  for (const [i, sample] of samples.entries()) {
    const fields = Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, [value]]));
    track.append({ tMs: [i * 1_000], fields, isHistory: false, thinned: false });
  }
  return track;
}

test("a heap that loses 100 bytes per second under noise is a leak, and empty when its line says so", () => {
  const saw = (i: number) => 400 * Math.sin(i);
  const points = Array.from({ length: 60 }, (_, i) => [i * 1_000, 100_000 - 100 * i + saw(i)] as const);
  const leak = leakOf(points);
  assert.ok(leak);
  assert.ok(Math.abs(leak.bytesPerHour - 360_000) < 15_000, String(leak.bytesPerHour));
  assert.ok(Math.abs(leak.emptyInMs - 941_000) < 50_000, String(leak.emptyInMs));
});

test("a heap that only breathes, grows, or was seen for a moment is no leak", () => {
  const points = (count: number, of: (i: number) => number) =>
    Array.from({ length: count }, (_, i) => [i * 1_000, of(i)] as const);
  assert.equal(leakOf(points(60, (i) => 100_000 + 3_000 * Math.sin(i / 3))), undefined);
  assert.equal(leakOf(points(60, (i) => 100_000 + 10 * i)), undefined);
  assert.equal(leakOf(points(60, () => 100_000)), undefined);
  assert.equal(leakOf(points(10, (i) => 100_000 - 5_000 * i)), undefined);
  assert.equal(leakOf([]), undefined);
});

test("a reset is seen by the uptime or by its count, with its reason", () => {
  const track = trackOf([
    { uptime_s: 10, resets: 1, reset_reason: "power on" },
    { uptime_s: 11, resets: 1, reset_reason: "power on" },
    { uptime_s: 0.5, resets: 2, reset_reason: "watchdog" },
    { uptime_s: 1.5, resets: 2, reset_reason: "watchdog" },
  ]);
  assert.deepEqual(resetsIn(track, [0, 10_000]), [{ tMs: 2_000, reason: "watchdog" }]);
});

test("tasks, slices, loads and errors are read as they should be, and nothing else is", () => {
  const track = trackOf([
    {
      load_pct: [41, "x", 63],
      tasks: [
        { name: "a", load_pct: 2, state: "ready", stack_free_bytes: 188 },
        { name: "b", load_pct: 40 },
        5,
        null,
        { name: "a", load_pct: 3 },
      ],
      slices: [
        { core: 0, task: "a", from_ms: 1, for_ms: 2 },
        { core: -1, task: "a", from_ms: 1, for_ms: 2 },
        { core: 0 },
      ],
      errors: { i2c: 0, can: 3, odd: "x" },
    },
    { tasks: "many", slices: { a: 1 }, errors: [1] },
  ]);
  assert.deepEqual(loadsAt(track, 0), [41, Number.NaN, 63]);
  assert.deepEqual(
    tasksAt(track, 0).map(({ name, loadPct }) => [name, loadPct]),
    [
      ["b", 40],
      ["a", 3],
    ],
  );
  assert.deepEqual(slicesAt(track, 0), [{ core: 0, task: "a", fromMs: 1, forMs: 2 }]);
  assert.deepEqual(errorsAt(track, 0), [
    ["i2c", 0],
    ["can", 3],
    ["odd", Number.NaN],
  ]);
  assert.deepEqual([tasksAt(track, 1), slicesAt(track, 1), errorsAt(track, 1)], [[], [], []]);
});

test("resets before the first sample of the page are known from the count in the history", () => {
  const track = createTrack();
  const history = {
    ...{ tMs: [0, 1_000, 2_000, 3_000, 4_000], sizeMs: 1_000 },
    ...{ min: [3, 3, null, 4, 5], max: [3, 4, null, 4, 5], mean: [3, 3.5, null, 4, 5] },
  };
  const counted = { track, read: () => Number.NaN, history } as never;
  assert.deepEqual(resetsIn(track, [0, 9_000], counted), [
    { tMs: 4_000, reason: "" },
    { tMs: 1_000, reason: "" },
  ]);
  // The bucket in which the page began has a reset that the page has seen itself: it is one.
  const batch = { channel: 0, thinned: false, isHistory: false, isReset: false };
  const fields = { resets: [4, 5], reset_reason: ["brown-out", "watchdog"] };
  track.append({ ...batch, tMs: [3_500, 3_600], fields } as never);
  const begun = { track, read: () => Number.NaN, history: { ...history, max: [3, 4, null, 5, 5] } } as never;
  assert.deepEqual(resetsIn(track, [0, 9_000], begun), [
    { tMs: 3_600, reason: "watchdog" },
    { tMs: 1_000, reason: "" },
  ]);
});

test("why the last reset before the page was opened happened, its first sample tells", () => {
  const track = createTrack();
  const batch = { channel: 0, thinned: false, isHistory: false, isReset: false };
  track.append({ ...batch, tMs: [5_000], fields: { resets: [5], reset_reason: ["watchdog"] } } as never);
  const history = { tMs: [0, 1_000], sizeMs: 1_000, min: [4, 5], max: [4, 5], mean: [4, 5] };
  const counted = { track, read: () => Number.NaN, history } as never;
  assert.deepEqual(resetsIn(track, [0, 9_000], counted), [{ tMs: 1_000, reason: "watchdog" }]);
});
