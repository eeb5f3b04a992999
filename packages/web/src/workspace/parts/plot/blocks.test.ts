import assert from "node:assert/strict";
import { test } from "node:test";
import { createBlocks, samplesIn } from "./blocks.ts";
import type { Reader } from "./envelope.ts";
import { statisticsOf } from "./statistics.ts";
import { createTrack, type Track } from "./track.ts";

const read: Reader = (track, sample) => track.valueAt("value", sample);

function append(track: Track, fromMs: number, count: number, isHistory = false): void {
  const tMs = Array.from({ length: count }, (_, i) => fromMs + 10 * i);
  const value = tMs.map((t) => (t % 70 === 0 ? null : 1_000 + Math.sin(t / 300) * (1 + (t % 11))));
  track.append({ tMs, fields: { value }, isHistory, thinned: false });
}

function counted(track: Track, fromMs: number, toMs: number) {
  const values: number[] = [];
  for (let sample = track.first; sample < track.next; sample += 1) {
    const [tMs, value] = [track.timeAt(sample), read(track, sample)];
    if (tMs >= fromMs && tMs <= toMs && !Number.isNaN(value)) values.push(value);
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return { count: values.length, min: Math.min(...values), max: Math.max(...values), mean, deviation };
}

test("statistics of a window that goes on are those of its samples, also when old ones are dropped and others replaced", () => {
  const track = createTrack({ keptMs: 30_000 });
  const check = (fromMs: number, toMs: number) => {
    const [found, expected] = [statisticsOf(track, read, [fromMs, toMs]), counted(track, fromMs, toMs)];
    assert.deepEqual([found.count, found.min, found.max], [expected.count, expected.min, expected.max]);
    assert.ok(Math.abs(found.mean - expected.mean) < 1e-9);
    assert.ok(Math.abs(found.deviation - expected.deviation) < 1e-9);
  };
  for (let round = 0; round < 60; round += 1) {
    append(track, round * 1_370, 137);
    const nowMs = track.timeAt(track.next - 1);
    check(nowMs - 20_000, nowMs);
    check(nowMs - 12_345, nowMs - 777);
    check(0, nowMs);
    if (round % 20 === 19) append(track, nowMs - 4_000, 401, true);
  }
  assert.ok(track.first > 0);
});

test("samples are looked at once, except those at the ends of the window", () => {
  const track = createTrack();
  append(track, 0, 10_000);
  let looked = 0;
  const blocks = createBlocks((_track, from, to) => {
    looked += to - from;
    return to - from;
  });
  const sum = () => blocks(track, ...samplesIn(track, 5_000, 95_000)).reduce((all, one) => all + one, 0);
  assert.equal(sum(), 9_001);
  assert.equal(looked, 9_001);
  assert.equal(sum(), 9_001);
  assert.ok(looked < 9_001 + 512);
  append(track, 99_000, 100, true);
  sum();
  assert.ok(looked > 2 * 9_001, "replaced samples are summed up again");
});
