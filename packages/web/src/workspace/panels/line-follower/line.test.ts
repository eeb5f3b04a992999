import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonData } from "@backplane/contract/panels";
import { createTrack } from "../../parts/plot/track.ts";
import { eyesAt, isOnLine, positionAt, positionOf, runOf, trailOf } from "./line.ts";

function trackOf(samples: readonly Record<string, JsonData>[], everyMs = 100) {
  const track = createTrack();
  for (const [i, sample] of samples.entries()) {
    const fields = Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, [value]]));
    track.append({ tMs: [i * everyMs], fields, isHistory: false, thinned: false });
  }
  return track;
}

test("the line is where the eyes see it: left, in the middle, right, between two, nowhere", () => {
  assert.equal(positionOf([1_000, 0, 0, 0, 0]), -1);
  assert.equal(positionOf([0, 0, 1_000, 0, 0]), 0);
  assert.equal(positionOf([0, 0, 0, 0, 900]), 1);
  assert.equal(positionOf([0, 0, 500, 500, 0]), 0.25);
  assert.ok(Number.isNaN(positionOf([10, 199, 20])));
  assert.ok(Number.isNaN(positionOf([])));
});

test("values follow from what was measured and its range, when the device gives none", () => {
  const track = trackOf([{ raw: [90, 485, 1_200], min: [90, 90, 90], max: [880, 880, 880] }, { value: [1, 2] }]);
  assert.deepEqual(
    eyesAt(track, 0).map(({ value }) => value),
    [0, 500, 1_000],
  );
  assert.deepEqual(
    eyesAt(track, 1).map(({ value }) => value),
    [1, 2],
  );
  assert.ok(Number.isNaN(eyesAt(track, 1)[0]?.raw));
  assert.equal(positionAt(track, 0), 2 / 3);
});

test("what the device says of line and position is believed", () => {
  const track = trackOf([
    { value: [0, 0, 1_000], position: 0.5, on_line: true },
    { value: [0, 0, 1_000], on_line: false },
  ]);
  assert.equal(positionAt(track, 0), 0.5);
  assert.ok(Number.isNaN(positionAt(track, 1)));
  assert.deepEqual(
    [0, 1].map((sample) => isOnLine(track, sample)),
    [true, false],
  );
});

test("a run: how often and how long the line was lost, how far it drove, how far beside the line; gaps count to neither", () => {
  const at = (on_line: boolean, x_m: number, position?: number) => ({
    on_line,
    x_m,
    y_m: 0,
    ...(position === undefined ? {} : { position }),
  });
  const track = trackOf([at(true, 0, 0.3), at(false, 0.1), at(false, 0.2), at(true, 0.3, -0.4), at(false, 0.4)]);
  track.append({ tMs: [60_000], fields: { on_line: [false], x_m: [9], y_m: [0] }, isHistory: false, thinned: false });
  const { lost, lostMs, rms, drivenM } = runOf(track, [0, 100_000]);
  assert.deepEqual([lost, lostMs], [2, 200]);
  assert.ok(Math.abs(rms - Math.sqrt(0.125)) < 1e-12);
  assert.ok(Math.abs(drivenM - 0.4) < 1e-12);
  assert.deepEqual(
    trailOf(track, [0, 1_000], 0.15).map(({ x }) => x),
    [0, 0.2, 0.4],
  );
});
