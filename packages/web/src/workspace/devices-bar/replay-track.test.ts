import assert from "node:assert/strict";
import { test } from "node:test";
import { markBeside, nextSpeed, placeOf } from "./replay-track.ts";

const mark = (tMs: number) => ({ tMs, level: "warn", text: "" });
const TRACK = { startMs: 1_000, endMs: 11_000, marks: [mark(2_000), mark(6_000)], gaps: [] };

test("places are within the track", () => {
  assert.deepEqual(
    [0, 1_000, 6_000, 11_000, 99_000].map((tMs) => placeOf(TRACK, tMs)),
    [0, 0, 50, 100, 100],
  );
  assert.equal(placeOf({ startMs: 5, endMs: 5 }, 5), 0);
});

test("marks lead forward and back, and the ends after the last one", () => {
  assert.deepEqual(
    [1_000, 2_000, 6_000].map((at) => markBeside(TRACK, at, 1)),
    [2_000, 6_000, 11_000],
  );
  assert.deepEqual(
    [11_000, 6_100, 2_000].map((at) => markBeside(TRACK, at, -1)),
    [6_000, 2_000, 1_000],
  );
});

test("speeds have ends", () => {
  assert.deepEqual([nextSpeed(1, 1), nextSpeed(16, 1), nextSpeed(0.1, -1), nextSpeed(1, -1)], [4, 16, 0.1, 0.5]);
});
