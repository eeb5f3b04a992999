import assert from "node:assert/strict";
import { test } from "node:test";
import { measureInQuiet, watchMachine } from "./quiet.ts";

const { signal } = new AbortController();
const measured = (othersCores: number) => ({ operations: 1, wallS: 1, cpuS: 1, othersCores });

test("after the deadline nothing waits, and a measurement is accepted as it is", async () => {
  const measurement = await measureInQuiet(async () => measured(2), performance.now(), signal);
  assert.equal(measurement.othersCores, 2);
});

test("work of this process counts as the machine's", () => {
  const busyCores = watchMachine();
  const startMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const ownS = () => process.cpuUsage(cpuBefore).user / 1_000_000;
  while (ownS() < 0.3) Math.sqrt(ownS());
  const ownCores = ownS() / ((performance.now() - startMs) / 1_000);
  assert.ok(busyCores() > ownCores / 2);
});
