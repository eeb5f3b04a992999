import assert from "node:assert/strict";
import { test } from "node:test";
import { countersOf, createClockOffset, curveOf, delayOf, figuresBetween, median } from "./figures.ts";

const stats = (more: object) => [
  { type: "candidate-pair", nominated: true, currentRoundTripTime: 0.006 },
  { type: "inbound-rtp", kind: "audio", framesDecoded: 9 },
  { type: "inbound-rtp", kind: "video", ...more },
];

test("figures of a second, from two readings of the browser", () => {
  const first = countersOf(
    stats({ framesDecoded: 100, bytesReceived: 1_000, packetsReceived: 990, packetsLost: 10 }),
    0,
  );
  const second = countersOf(
    stats({
      ...{ framesDecoded: 160, bytesReceived: 251_000, packetsReceived: 1_980, packetsLost: 20, freezeCount: 1 },
      ...{ jitterBufferDelay: 0.84, jitterBufferEmittedCount: 60 },
    }),
    2_000,
  );
  assert.ok(first && second);
  const { fps, roundTripMs, jitterBufferMs, lostPct, kbitPerS, freezes } = figuresBetween(first, second);
  assert.deepEqual(
    { fps, roundTripMs, lostPct, kbitPerS, freezes },
    { fps: 30, roundTripMs: 6, lostPct: 1, kbitPerS: 1_000, freezes: 1 },
  );
  assert.ok(Math.abs((jitterBufferMs ?? 0) - 14) < 0.001);
  assert.equal(countersOf([], 0), undefined);
  assert.equal(figuresBetween(first, first).fps, undefined);
});

test("the delay of a picture, also where its clock begins anew", () => {
  const at = 1_794_947_468_737;
  assert.ok(Math.abs(delayOf((at * 90) % 2 ** 32, at + 84) - 84) < 0.1);
  const wrapped = Math.ceil((at * 90) / 2 ** 32) * 2 ** 32;
  assert.ok(Math.abs(delayOf(2 ** 32 - 900, wrapped / 90 + 20) - 30) < 0.1);
  assert.ok(Math.abs(delayOf(900, wrapped / 90 + 30) - 20) < 0.1);
  assert.ok(Math.abs(delayOf(900, wrapped / 90 - 10) + 20) < 0.1, "ahead of us by a clock that is wrong");
});

test("the difference of clocks is that of the quickest answer", () => {
  const offset = createClockOffset(3);
  assert.equal(offset.ms(), 0);
  offset.take(0, 100, 1_090);
  offset.take(200, 210, 1_205);
  assert.equal(offset.ms(), 1_000);
  for (let i = 0; i < 3; i += 1) offset.take(0, 50, 525);
  assert.equal(offset.ms(), 500, "old answers are forgotten");
});

test("medians and curves", () => {
  assert.equal(median([]), undefined);
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(curveOf([1], 90, 18), undefined);
  assert.match(curveOf([1, undefined, 3], 90, 18) ?? "", /^\d+\.\d,16\.0 90\.0,2\.0$/);
  assert.match(curveOf([4, 4], 90, 18) ?? "", /,9\.0 90\.0,9\.0$/);
});
