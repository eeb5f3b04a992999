import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrack, type Track } from "../parts/plot/track.ts";
import { fieldLabel } from "./fields.ts";
import { csvOfSeries } from "./save-csv.ts";

const read = (track: Track, sample: number) => track.valueAt("x", sample);

test("what is seen is saved: times in one column, no formula that a spreadsheet would run", () => {
  const [a, b] = [createTrack(), createTrack()];
  a.append({ tMs: [0, 1_000, 2_000], fields: { x: [1, null, 3] }, isHistory: false, thinned: false });
  b.append({ tMs: [1_000, 9_000], fields: { x: [-5, 6] }, isHistory: false, thinned: false });
  const csv = csvOfSeries(
    [
      { label: "Air", unit: "°C", track: a, read, isShown: true },
      { label: '= "x"', unit: "", track: b, read, isShown: true },
      { label: "Hidden", unit: "", track: b, read, isShown: false },
    ],
    [0, 5_000],
  );
  assert.deepEqual(csv.split("\r\n"), [
    `time,"Air (°C)","'= ""x"""`,
    "1970-01-01T00:00:00.000Z,1,",
    "1970-01-01T00:00:01.000Z,,-5",
    "1970-01-01T00:00:02.000Z,3,",
    "",
  ]);
});

test("fields have names for people", () => {
  assert.deepEqual(["motor_c", "bus_voltage_v", "velocity_rad_s", "errors"].map(fieldLabel), [
    "Motor",
    "Bus voltage",
    "Velocity",
    "Errors",
  ]);
});
