import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack } from "../../parts/plot/track.ts";
import { countLost, distanceAt, echoAt, nearestOf, speedOfSound, sweepsAt } from "./echoes.ts";

type Ping = { distance_mm?: number; echo_us?: number; temperature_c?: number; angle_deg?: number };

function trackOf(pings: readonly Ping[], everyMs = 60) {
  const track = createTrack();
  for (const [i, ping] of pings.entries()) {
    const fields = Object.fromEntries(Object.entries(ping).map(([name, value]) => [name, [value]]));
    track.append({ tMs: [i * everyMs], fields, isHistory: false, thinned: false });
  }
  return track;
}

test("the speed of sound is 331.3 m/s at 0 °C, 343.2 m/s at 20 °C and 319 m/s at −20 °C", () => {
  assert.equal(speedOfSound(0), 331.3);
  assert.equal(speedOfSound(20).toFixed(1), "343.2");
  assert.equal(speedOfSound(-20).toFixed(1), "318.9");
});

test("a distance is corrected for the air when echo and temperature are known; otherwise it is what the sensor says", () => {
  const track = trackOf([
    { distance_mm: 1_000, echo_us: 5_828, temperature_c: 20 },
    { distance_mm: 1_000, echo_us: 5_828, temperature_c: 35 },
    { distance_mm: 1_000, echo_us: 5_828 },
    { temperature_c: 20 },
  ]);
  assert.deepEqual(
    [0, 1, 2].map((sample) => distanceAt(track, sample)),
    [1_000, 1_025, 1_000],
  );
  assert.ok(Number.isNaN(distanceAt(track, 3)), "a lost echo is not a long distance");
  assert.deepEqual(countLost(track, [0, 1_000]), { lost: 1, of: 4 });
  assert.deepEqual(countLost(track, [0, 100]), { lost: 0, of: 2 });
});

test("a sweep ends where the sensor turns around; the one before is the old one", () => {
  const angles = [0, 10, 20, 30, 20, 10, 0, 10, 20];
  const track = trackOf(angles.map((angle_deg, i) => ({ angle_deg, distance_mm: 100 + i })));
  const { fresh, old } = sweepsAt(track, 8);
  assert.deepEqual(
    fresh.map(({ degrees }) => degrees),
    [20, 10, 0],
  );
  assert.deepEqual(
    old.map(({ degrees }) => degrees),
    [10, 20, 30],
  );
  assert.equal(nearestOf(fresh), 106);
  assert.ok(Number.isNaN(nearestOf([])));
});

test("a sensor that does not turn has no sweep, and one that was away does not join two", () => {
  assert.deepEqual(sweepsAt(trackOf([{ distance_mm: 5 }]), 0), { fresh: [], old: [] });
  const track = trackOf([{ angle_deg: 0 }, { angle_deg: 10 }], 5_000);
  assert.deepEqual(
    sweepsAt(track, 1).fresh.map(({ degrees }) => degrees),
    [10],
  );
  assert.ok(Number.isNaN(echoAt(track, 1).mm));
});
