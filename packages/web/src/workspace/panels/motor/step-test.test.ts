import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack } from "../../parts/plot/track.ts";
import { csvOfSteps, curveOf, figuresOf, readSteps, rowsOf, type StepPoint, withStep } from "./step-test.ts";

/** A second order that is damped by this. */
const answerOf = (damping: number, from: number, to: number): StepPoint[] =>
  Array.from({ length: 1_001 }, (_, i) => {
    const [s, natural] = [i / 1_000, 30];
    const damped = natural * Math.sqrt(1 - damping ** 2);
    const share =
      1 -
      Math.exp(-damping * natural * s) * (Math.cos(damped * s) + ((damping * natural) / damped) * Math.sin(damped * s));
    return [s, from + (to - from) * share];
  });

const test40 = (damping: number, from = 0, to = 40) => ({
  atMs: 1,
  from,
  to,
  curve: answerOf(damping, from, to),
  peakA: 5,
});

test("the figures of a second order are those of the textbook, up and down", () => {
  for (const [from, to] of [
    [0, 40],
    [40, 0],
    [-20, 20],
  ] as const) {
    const { overshootPct = 0, riseS = 0, settleS = 0 } = figuresOf(test40(0.5, from, to));
    assert.ok(Math.abs(overshootPct - 16.3) < 0.2, String(overshootPct));
    assert.ok(Math.abs(riseS - 0.0546) < 0.003, String(riseS));
    assert.ok(settleS > 0.2 && settleS < 0.32, String(settleS));
  }
});

test("what does not get there has no rise time, and has not settled", () => {
  const half = {
    ...test40(0.5),
    curve: [
      [0, 0],
      [0.5, 18],
      [1, 20],
    ] as StepPoint[],
  };
  assert.deepEqual(figuresOf(half), { riseS: undefined, overshootPct: undefined, settleS: undefined, peakA: 5 });
});

test("it is put beside the last one, and less is better", () => {
  const rows = rowsOf(
    { riseS: 0.086, overshootPct: 6.1, settleS: undefined, peakA: 6.7 },
    { riseS: 0.112, overshootPct: 6.12, settleS: 1, peakA: 5.9 },
  );
  assert.deepEqual(
    rows.map(({ now, last, change, tone }) => [now, last, change, tone]),
    [
      ["86 ms", "112 ms", "−26 ms", "ok"],
      ["6.1 %", "6.1 %", "same", undefined],
      ["–", "1.00 s", "", undefined],
      ["6.7 A", "5.9 A", "+0.8 A", "danger"],
    ],
  );
});

test("a curve is what came after the step; it is kept in the tab and read again", () => {
  const track = createTrack();
  const tMs = Array.from({ length: 1_000 }, (_, i) => i);
  const fields = { velocity_rad_s: tMs.map((t) => t / 10), current_a: tMs.map((t) => -t / 100) };
  track.append({ channel: 0, tMs, fields, thinned: false, isHistory: false } as never);
  const { curve, peakA } = curveOf(track, 100, 899);
  assert.deepEqual([curve[0], peakA, curve.length], [[0, 10], 8.99, 160]);
  const [kept] = readSteps(withStep([], { atMs: 9, from: 0, to: 5, curve, peakA }));
  assert.equal(kept?.curve.length, 160);
  for (const wrong of [null, 3, { curve: [] }, { curve: [], from: 1, to: 1 }] as never[])
    assert.deepEqual(readSteps({ step: wrong }), []);
});

test("six steps are kept, the newest first", () => {
  const at = (atMs: number) => ({ ...test40(0.5), atMs, curve: [[0, 0] as const, [0.1, atMs] as const] });
  let kept: ReturnType<typeof readSteps> = [];
  for (let atMs = 1; atMs <= 8; atMs += 1) kept = readSteps(withStep(kept, at(atMs)));
  assert.deepEqual(
    kept.map(({ atMs }) => atMs),
    [8, 7, 6, 5, 4, 3],
  );
});

test("two steps are saved beside each other", () => {
  const one = { ...test40(0.5), curve: [[0, 1] as const, [0.1, 2] as const] };
  const other = { ...one, atMs: 60_001, curve: [[0.1, 3] as const] };
  assert.equal(
    csvOfSteps([one, other], "rad/s"),
    "seconds,1970-01-01T00:00:00.001Z (rad/s),1970-01-01T00:01:00.001Z (rad/s)\r\n0,1,\r\n0.1,2,3\r\n",
  );
});
