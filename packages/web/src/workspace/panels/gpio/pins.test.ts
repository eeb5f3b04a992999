import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack } from "../../parts/plot/track.ts";
import { areaOf, changesOf, changesWords, edgesOf, pathOf, pinWords, readPins } from "./pins.ts";

const batch = (tMs: number[], pin: (boolean | null)[]) => ({
  ...{ channel: 0, tMs, fields: { pin }, thinned: false, isHistory: false, isReset: false },
});

test("only changes are kept, and where nothing was heard there is no value", () => {
  const track = createTrack();
  track.append(batch([0, 100, 200, 300, 400], [false, false, true, true, false]) as never);
  track.append(batch([5_000, 5_100], [true, true]) as never);
  const edges = edgesOf(track, "pin", 50);
  assert.deepEqual(edges, [
    { tMs: 50, value: 0 },
    { tMs: 200, value: 1 },
    { tMs: 400, value: 0 },
    { tMs: 400, value: Number.NaN },
    { tMs: 5_000, value: 1 },
  ]);
  assert.deepEqual(changesOf(edges), [200, 400]);
  assert.equal(changesWords(changesOf(edges), 1_650), "2 changes in 30 s, the last 1.3 s ago");
  assert.equal(changesWords([], 0), "0 changes in 30 s");
  const frame = { x: (tMs: number) => tMs / 100, y: (share: number) => 10 - 10 * share, toMs: 6_000, span: 1 };
  assert.equal(pathOf(edges, frame, true), "M0.5 10.0H2.0V0.0H4.0V10.0H4.0M50.0 0.0H60.0");
  assert.equal(areaOf(edges, frame), "M2.0 10V0.0H4.0V10ZM50.0 10V0.0H60.0V10Z");
  assert.equal(pathOf(edges.slice(0, 2), frame, false), "M0.5 10.0L2.0 0.0");
});

test("pins are those that the device names, else those that can be written", () => {
  const write = { effect: "powers" as const, params: { properties: { pin: { enum: ["d2", "d3", 7] } } } };
  const named = readPins([{ name: "b", place: 2, mode: "in" }, 3, { name: "a", place: 1 }, { place: 9 }], {
    commands: {},
  });
  assert.deepEqual(
    named.map(({ name, mode }) => [name, mode]),
    [
      ["a", undefined],
      ["b", "in"],
    ],
  );
  assert.deepEqual(
    readPins(null, { commands: { write } }).map(({ name }) => name),
    ["d2", "d3"],
  );
});

test("no value is a dash, not low", () => {
  const pin = { name: "p", place: 1, mode: "out", note: undefined, pull: undefined, start: undefined };
  assert.equal(pinWords(pin, { p: false }), "low");
  assert.equal(pinWords(pin, { p: 1 }), "high");
  assert.equal(pinWords(pin, { p: null }), "–");
  assert.equal(pinWords({ ...pin, mode: "pwm" }, { p: true, p_pct: 35.2 }), "35 %");
  assert.equal(pinWords({ ...pin, mode: "adc" }, { p_v: 1.816 }), "1.82 V");
});
