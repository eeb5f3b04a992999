import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack } from "../../parts/plot/track.ts";
import { changeWords, currentAt, endsEarly, fitOf, keptOf, measure, readSweep, SWEEP_STEPS } from "./sweep.ts";

const pointsOf = (current: (u: number) => number) =>
  SWEEP_STEPS.map((throttlePct) => ({
    ...{ throttlePct, erpm: 700 * throttlePct, temperatureC: 30 },
    currentA: current(throttlePct / 100),
  }));

test("the fit finds the law of the load, and says how good it is", () => {
  const fit = fitOf(pointsOf((u) => 0.42 + 15.6 * u ** 2.68));
  assert.ok(fit && Math.abs(fit.c - 2.68) < 0.03 && Math.abs(fit.b - 15.6) < 0.2, JSON.stringify(fit));
  assert.ok(fit.r2 > 0.999 && Math.abs(currentAt(fit, 50) - 2.85) < 0.1);
  assert.equal(fitOf(pointsOf((u) => u).slice(0, 3)), undefined);
  assert.equal(fitOf(pointsOf(() => 1))?.r2, 1);
});

test("two sweeps are compared at half throttle", () => {
  const now = fitOf(pointsOf((u) => 9 * u ** 2));
  assert.equal(changeWords(now, fitOf(pointsOf((u) => 10 * u ** 2))), "10 % less current at 50 %");
  assert.equal(changeWords(now, now), "as much current at 50 %");
  assert.equal(changeWords(now, undefined), undefined);
});

test("a sweep ends early by current, heat or a supply that sags, and not by a value that is missing", () => {
  const ends = { currentA: 12, temperatureC: 80, voltageV: 14 };
  assert.equal(endsEarly({ currentA: 5, temperatureC: undefined, voltageV: undefined }, ends), undefined);
  assert.match(endsEarly({ currentA: 12.5, temperatureC: 20, voltageV: 16 }, ends) ?? "", /over 12 A/);
  assert.match(endsEarly({ currentA: 1, temperatureC: 81, voltageV: 16 }, ends) ?? "", /over 80 °C/);
  assert.match(endsEarly({ currentA: 1, temperatureC: 20, voltageV: 13 }, ends) ?? "", /under 14 V/);
});

test("a point is the mean of what came, and nothing where nothing came", () => {
  const track = createTrack();
  const fields = { current_a: [1, 2, null, 4], erpm: [100, 200, 300, 400] };
  track.append({ channel: 0, tMs: [0, 10, 20, 30], fields, thinned: false, isHistory: false } as never);
  assert.deepEqual(measure(track, 10, 5), { throttlePct: 5, currentA: 3, erpm: 300, temperatureC: Number.NaN });
  assert.equal(measure(track, 31, 5), undefined);
});

test("a sweep is kept in the tab and read again; what is wrong in it is left out", () => {
  const sweep = { atMs: 5, points: pointsOf((u) => u) };
  assert.equal(readSweep(keptOf(sweep))?.points.length, SWEEP_STEPS.length);
  assert.equal(readSweep({ points: [[1, 2, "x", 4], 3] }), undefined);
  assert.equal(readSweep("x"), undefined);
});
