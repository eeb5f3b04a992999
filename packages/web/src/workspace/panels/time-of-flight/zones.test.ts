import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonData } from "@backplane/contract/panels";
import { createTrack } from "../../parts/plot/track.ts";
import { approachAt, backgroundAt, faultOf, faultsOf, isInFront, mapAt, medianMm, nearestOf } from "./zones.ts";

function trackOf(samples: readonly Record<string, JsonData>[], everyMs = 100) {
  const track = createTrack();
  for (const [i, sample] of samples.entries()) {
    const fields = Object.fromEntries(Object.entries(sample).map(([name, value]) => [name, [value]]));
    track.append({ tMs: [i * everyMs], fields, isHistory: false, thinned: false });
  }
  return track;
}

test("a zone is unreliable by a word, by a number of ST, or without a distance; nothing is filled in for it", () => {
  assert.deepEqual(["ok", 5, 9, undefined, "low-signal", 6, 255, 77, "odd", null].map(faultOf), [
    undefined,
    undefined,
    undefined,
    undefined,
    "low signal",
    "wrapped",
    "no target",
    "unreliable",
    "unreliable",
    undefined,
  ]);
  const track = trackOf([{ distance_mm: [500, null, 300, 900], status: ["ok", "ok", "edge", "ok"], grid: [2, 2] }]);
  const map = mapAt(track, 0);
  assert.deepEqual([map?.columns, map?.rows], [2, 2]);
  const zones = map?.zones ?? [];
  assert.deepEqual(
    zones.map(({ fault }) => fault),
    [undefined, "no target", "at an edge", undefined],
  );
  assert.equal(nearestOf(zones), 0, "300 mm is not believed");
  assert.equal(medianMm(zones), 700);
  assert.deepEqual(faultsOf(zones), [
    ["no target", 1],
    ["at an edge", 1],
  ]);
});

test("what is no map is none, and a grid that does not fit is not believed", () => {
  for (const distance_mm of [[], "far", Array.from({ length: 2_000 }, () => 1)] as JsonData[])
    assert.equal(mapAt(trackOf([{ distance_mm }]), 0), undefined);
  assert.equal(mapAt(trackOf([{ distance_mm: [1, 2, 3, 4, 5], grid: [3, 3] }]), 0)?.columns, 3);
  assert.equal(mapAt(trackOf([{ distance_mm: [1, 2, 3, 4], grid: [0, 7] }]), 0)?.columns, 2);
  assert.equal(nearestOf([]), -1);
});

test("something that comes 30 mm nearer every 100 ms approaches at 0.3 m/s", () => {
  const track = trackOf(Array.from({ length: 10 }, (_, i) => ({ distance_mm: [1_500, 900 - 30 * i], grid: [2, 1] })));
  assert.ok(Math.abs(approachAt(track, 9) - 0.3) < 1e-9);
  assert.ok(Number.isNaN(approachAt(track, 1)));
});

test("the background is the median of what was seen, and only what is nearer than its noise is in front of it", () => {
  const seen = [1_000, 1_010, 400, 990, 1_000].map((mm) => ({
    ...{ distance_mm: [mm, 700], status: ["ok", "low-signal"], sigma_mm: [30, 5], grid: [2, 1] },
  }));
  const track = trackOf(seen);
  const background = backgroundAt(track, 4);
  assert.deepEqual(background, [1_000, null]);
  const at = (mm: number, sigmaMm: number) => ({ mm, sigmaMm, signal: 1, fault: undefined });
  assert.equal(isInFront(at(920, 30), background[0]), false);
  assert.equal(isInFront(at(900, 30), background[0]), true);
  assert.equal(isInFront(at(950, Number.NaN), background[0]), true);
  assert.equal(isInFront(at(5_000, 1), null), true, "what is not known cannot be taken away");
});
