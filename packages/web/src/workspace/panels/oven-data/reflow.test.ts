import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack } from "../../parts/plot/track.ts";
import {
  aboveLiquidusS,
  type Measured,
  movePoint,
  peakC,
  predict,
  processWindowIndex,
  profileAt,
  rampAt,
  SAC305,
  soakS,
  steepestCS,
  timeBetween,
  windowIndex,
} from "./reflow.ts";
import { runsOf } from "./runs.ts";

const near = (value: number, expected: number, by: number) =>
  assert.ok(Math.abs(value - expected) <= by, `${value} is not ${expected} ± ${by}`);

/** A triangle: 2 °C/s up to 257 °C, then 4 °C/s down. */
const TRIANGLE: Measured[] = Array.from({ length: 350 }, (_, i) => {
  const s = i / 2;
  return { s, c: s <= 116 ? 25 + 2 * s : 257 - 4 * (s - 116) };
});

test("times between temperatures are exact, also when both crossings are between samples", () => {
  // Above 217: 20 s on the way up, 10 s on the way down.
  near(aboveLiquidusS(TRIANGLE), 30, 1e-9);
  near(
    timeBetween(
      [
        { s: 0, c: 0 },
        { s: 10, c: 100 },
      ],
      [20, 50],
    ),
    3,
    1e-9,
  );
  near(
    timeBetween(
      [
        { s: 0, c: 40 },
        { s: 5, c: 40 },
      ],
      [20, 50],
    ),
    5,
    1e-9,
  );
  assert.equal(
    timeBetween(
      [
        { s: 0, c: 40 },
        { s: 60, c: 40 },
      ],
      [20, 50],
    ),
    0,
    "a gap counts to neither side",
  );
  near(soakS(TRIANGLE), 15, 1e-9);
  assert.equal(peakC(TRIANGLE), 257);
});

test("ramps are slopes of the last 10 s, the steepest one rises", () => {
  near(rampAt(TRIANGLE, 60), 2, 1e-9);
  near(rampAt(TRIANGLE, 150), -4, 1e-9);
  near(steepestCS(TRIANGLE), 2, 1e-9);
  assert.ok(Number.isNaN(rampAt(TRIANGLE, 2)));
});

test("the profile between its points, before and after it", () => {
  assert.deepEqual(
    [-5, 0, 37.5, 75, 1_000].map((s) => profileAt(SAC305, s)),
    [25, 25, 87.5, 150, 60],
  );
});

test("a board that follows with a lag of 12 s is predicted to within 2 °C, 40 s before its peak", () => {
  const points: Measured[] = [{ s: 0, c: 25 }];
  for (let s = 0.25; s <= 360; s += 0.25) {
    const last = points.at(-1)?.c ?? 25;
    points.push({ s, c: last + ((profileAt(SAC305, s) - last) * 0.25) / 12 });
  }
  const known = points.filter(({ s }) => s <= 205);
  const ahead = predict(known, SAC305) ?? [];
  near(peakC(ahead), peakC(points), 2);
  assert.equal(ahead[0]?.s, 205);
  assert.equal(predict(known.slice(0, 4), SAC305), undefined);
  assert.equal(predict(points, SAC305), undefined, "the run is over");
});

test("a window is unused in its middle, full at its edges; a run is as good as its worst figure", () => {
  assert.deepEqual(
    [60, 75, 45, 90].map((value) => windowIndex(value, [45, 75])),
    [0, 100, 100, 200],
  );
  assert.equal(
    processWindowIndex([
      [60, [45, 75]],
      [246, [235, 250]],
      [Number.NaN, [0, 1]],
    ]),
    windowIndex(246, [235, 250]),
  );
  assert.ok(Number.isNaN(processWindowIndex([])));
});

test("a point of a profile is moved between its neighbours only", () => {
  assert.deepEqual(movePoint(SAC305, 1, { t_s: 400, c: 155.4 })[1], { t_s: 160, c: 155 });
  assert.deepEqual(movePoint(SAC305, 0, { t_s: 30, c: -9 })[0], { t_s: 0, c: 0 });
  assert.deepEqual(movePoint(SAC305, 7, { t_s: 500, c: 999 })[7], { t_s: 500, c: 280 });
});

test("runs are told apart by their number; history comes before what is in memory", () => {
  const track = createTrack();
  const add = (tMs: number, run: number | null, run_s: number | null, board_c: number) =>
    track.append({
      tMs: [tMs],
      fields: { run: [run], run_s: [run_s], board_c: [board_c] },
      isHistory: false,
      thinned: false,
    });
  add(100_000, null, null, 25);
  add(101_000, 2, 0, 25);
  add(102_000, 2, 1, 27);
  const past = (field: string) => {
    const mean = { run: [1, 1.5], run_s: [10, 4], board_c: [50, 40] }[field];
    return mean && { tMs: [40_000, 50_000], sizeMs: 1_000, min: mean, max: mean, mean };
  };
  const runs = runsOf(track, past, [0, 200_000]);
  assert.deepEqual(
    runs.map(({ number, startMs, board }) => [number, startMs, board]),
    [
      [1, 30_000, [{ s: 10, c: 50 }]],
      [
        2,
        101_000,
        [
          { s: 0, c: 25 },
          { s: 1, c: 27 },
        ],
      ],
    ],
  );
});
