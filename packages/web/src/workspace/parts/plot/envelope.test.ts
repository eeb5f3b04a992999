import assert from "node:assert/strict";
import { test } from "node:test";
import { type Band, drawBand } from "./draw-band.ts";
import { createEnvelope } from "./envelope.ts";
import type { Painter } from "./paint.ts";
import { createTrack, type Track } from "./track.ts";

const read = (track: Track, sample: number) => track.valueAt("x", sample);
const add = (track: Track, tMs: number[], x: (number | null)[], isHistory = false) =>
  track.append({ tMs, fields: { x }, isHistory, thinned: false });

/** Numbers that are the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

test("envelopes keep every extreme, however samples arrive", () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const next = random(seed);
    const track = createTrack();
    const columnMs = 5 + next() * 100;
    const envelope = createEnvelope(track, read, { columnMs, fromMs: 0 });
    const samples: [number, number][] = [];
    let t = 0;
    while (samples.length < 2_000) {
      const batch = Array.from({ length: 1 + Math.floor(next() * 50) }, (): [number, number] => {
        t += 1 + next() * 20;
        return [t, next() < 0.01 ? 1_000 * next() : next()];
      });
      samples.push(...batch);
      add(
        track,
        batch.map(([at]) => at),
        batch.map(([, x]) => x),
      );
      if (next() < 0.5) envelope.update();
    }
    envelope.update();
    const to = Math.floor(t / columnMs) + 1;
    const { low, high, mean } = envelope.columns(0, to);
    for (let column = 0; column < to; column += 1) {
      const inside = samples.filter(([at]) => Math.floor(at / columnMs) === column).map(([, x]) => x);
      if (inside.length === 0) continue;
      assert.equal(low[column], Math.min(...inside));
      assert.equal(high[column], Math.max(...inside));
      assert.ok(Math.abs((mean[column] ?? 0) - inside.reduce((a, b) => a + b) / inside.length) < 1e-9);
    }
  }
});

const even = (count: number, fromMs = 0, stepMs = 100) => Array.from({ length: count }, (_, i) => fromMs + i * stepMs);

test("missing samples are a gap, and never a line across; slow samples are not", () => {
  const track = createTrack();
  const times = [...even(20), ...even(20, 6_000)];
  add(track, times, times);
  const envelope = createEnvelope(track, read, { columnMs: 50, fromMs: 0 });
  const { mean } = envelope.columns(0, 160);
  assert.deepEqual(envelope.gaps, [[1_900, 6_000]]);
  assert.equal(mean[1], undefined, "between two samples the line goes on");
  assert.deepEqual(new Set(mean.slice(39, 120)), new Set([null]), "between two runs it is broken");
  assert.ok(!mean.slice(0, 38).includes(null));
});

test("history that comes later fills the gap", () => {
  const track = createTrack();
  add(track, [...even(20), ...even(5, 6_000)], [...even(20), ...even(5, 6_000)]);
  const envelope = createEnvelope(track, read, { columnMs: 50, fromMs: 0 });
  assert.equal(envelope.gaps.length, 1);
  const whole = even(60, 2_000);
  add(track, whole, whole, true);
  envelope.update();
  assert.deepEqual(envelope.gaps, []);
  assert.ok(!envelope.columns(0, 100).mean.includes(null));
});

test("a plot that goes on for hours keeps what it shows, and as much before it", () => {
  const track = createTrack();
  const envelope = createEnvelope(track, read, { columnMs: 100, fromMs: 0 });
  for (let from = 0; from < 3 * 36_000; from += 600) {
    add(track, even(600, from * 100), even(600));
    envelope.update();
    envelope.columns(from, from + 600);
  }
  const { mean } = envelope.columns(0, 3 * 36_000);
  assert.equal(
    mean.findIndex((value) => value !== undefined),
    3 * 36_000 - 2 * 600,
  );
});

test("a value that is missing leaves the others as they are", () => {
  const track = createTrack();
  add(
    track,
    even(20),
    even(20).map((t) => (t === 500 ? null : t)),
  );
  const { mean } = createEnvelope(track, read, { columnMs: 100, fromMs: 0 }).columns(0, 20);
  assert.equal(mean[5], undefined);
  assert.deepEqual([mean[4], mean[6]], [400, 600]);
});

test("buckets of the history come before the first sample, converted like samples", () => {
  const track = createTrack();
  add(
    track,
    even(20, 10_000),
    even(20).map(() => 2),
  );
  const envelope = createEnvelope(track, read, { columnMs: 1_000, fromMs: 0, convert: (value) => value / 100 });
  const tMs = [6_000, 7_000, 8_000, 9_000, 10_000];
  envelope.prepend({
    tMs,
    sizeMs: 1_000,
    min: [100, 100, null, 100, 900],
    max: [300, 300, null, 300, 900],
    mean: [200, 200, null, 200, 900],
  });
  const { low, high, mean } = envelope.columns(6, 11);
  assert.deepEqual([low[0], high[0], mean[0]], [1, 3, 2]);
  assert.equal(mean[4], 2, "samples are better than their bucket");
  assert.equal(mean[2], undefined);
});

test("where a device looked and found nothing, the line of such a series is broken, however short it was", () => {
  const track = createTrack();
  add(track, even(20), [...Array.from({ length: 10 }, () => 1), null, ...Array.from({ length: 9 }, () => 2)]);
  assert.deepEqual(createEnvelope(track, read, { columnMs: 50, fromMs: 0 }).gaps, []);
  const envelope = createEnvelope(track, read, { columnMs: 50, fromMs: 0, isBroken: true });
  assert.deepEqual(envelope.gaps, [[900, 1_100]]);
  assert.equal(envelope.columns(0, 40).mean[20], null);
});

/** What is drawn, as a path: "M1,2 L3,2 … Z". */
function bandPath(band: Pick<Band, "low" | "high">): string {
  const path: string[] = [];
  const context = {
    ...{ save() {}, restore() {}, beginPath() {}, rect() {}, clip() {}, fill() {} },
    moveTo: (x: number, y: number) => path.push(`M${x},${y}`),
    lineTo: (x: number, y: number) => path.push(`L${x},${y}`),
    closePath: () => path.push("Z"),
  };
  const painter = { context, x: (tMs: number) => tMs, y: (value: number) => value } as unknown as Painter;
  drawBand(painter, { ...band, times: band.low.map((_, place) => place), colour: "" });
  return path.join(" ");
}

test("a band leaves out columns without a value, and is a shape of its own wherever a line would end", () => {
  const low = [undefined, 1, undefined, 2, null, null, 3, 4, undefined];
  const high = [undefined, 2, undefined, 2, null, null, 5, 6, undefined];
  assert.equal(bandPath({ low, high }), "M1,2 L1,2 L3,2 L3,2 L1,1 Z M6,5 L6,5 L7,6 L7,4 L6,3 Z");
  assert.equal(bandPath({ low: [], high: [] }), "");
});
