import type { JsonObject } from "@backplane/contract/panels";
import { noise, type Random, rounded, type SimulatedKind } from "../simulator.ts";

const HEAP_BYTES = 150 * 1_024;
/** A buffer that is never given back, several times per second. */
const LEAK_BYTES_S = 140;
/** The radio takes and gives back this much. */
const BREATH_BYTES = 3_000;
/** Below this the radio cannot allocate: the watchdog bites. */
const EMPTY_BYTES = 2_048;
const SHOWN_MS = 50;
/** Now and then the radio is busy. */
const BURST = { everyS: 25, forS: 5, factor: 3 };

type Task = { name: string; core: 0 | 1; everyMs: number; costMs: number; stackBytes: number };

const TASKS: readonly Task[] = [
  { name: "control", core: 1, everyMs: 10, costMs: 3, stackBytes: 1_480 },
  { name: "imu", core: 0, everyMs: 5, costMs: 0.9, stackBytes: 912 },
  { name: "wifi", core: 1, everyMs: 25, costMs: 3.5, stackBytes: 2_204 },
  { name: "telemetry", core: 0, everyMs: 20, costMs: 2, stackBytes: 188 },
  { name: "can-rx", core: 0, everyMs: 15, costMs: 0.6, stackBytes: 1_036 },
  { name: "logger", core: 0, everyMs: 50, costMs: 1.1, stackBytes: 1_644 },
];

type Slice = { core: number; task: string; from_ms: number; for_ms: number };

/** What each core does in 50 ms: a task that is due begins when the core is free, the first of the list first. */
function schedule(random: Random, factor: number): Slice[] {
  const slices: Slice[] = [];
  for (const core of [0, 1]) {
    const due = TASKS.filter((task) => task.core === core).flatMap((task) => {
      const first = random() * task.everyMs;
      const times = Math.ceil((SHOWN_MS - first) / task.everyMs);
      return Array.from({ length: Math.max(0, times) }, (_, i) => ({ task, atMs: first + i * task.everyMs }));
    });
    due.sort((a, b) => a.atMs - b.atMs);
    let freeMs = 0;
    for (const { task, atMs } of due) {
      const from = Math.max(freeMs, atMs);
      const cost = task.costMs * (task.name === "wifi" ? factor : 1) * (0.8 + 0.4 * random());
      if (from + cost > SHOWN_MS) continue;
      slices.push({ core, task: task.name, from_ms: rounded(from, 2), for_ms: rounded(cost, 2) });
      freeMs = from + cost;
    }
  }
  return slices;
}

const shareOf = (slices: readonly Slice[], fits: (slice: Slice) => boolean): number =>
  (slices.filter(fits).reduce((sum, { for_ms }) => sum + for_ms, 0) / SHOWN_MS) * 100;

export const chipStatistics: SimulatedKind = {
  kind: "chip-statistics",
  name: "Microcontroller",
  model: "ESP32-S3, 240 MHz",
  description: "Load, heap and tasks of a chip that leaks memory until its watchdog bites",
  nodes: {
    chip: {
      ...{ name: "Chip", kind: "chip-statistics", rateHz: 2 },
      fields: {
        load_pct: { type: "array", unit: "%" },
        heap_free_bytes: { type: "integer", unit: "B", min: 0, max: HEAP_BYTES },
        heap_min_bytes: { type: "integer", unit: "B" },
        tasks: { type: "array" },
        slices: { type: "array" },
        resets: { type: "integer" },
        reset_reason: { type: "string" },
        uptime_s: { unit: "s" },
        errors: { type: "object" },
      },
    },
  },
  create(random) {
    let [uptimeS, leaked, lowest, resets, canErrors] = [0, 0, HEAP_BYTES, 1, 0];
    let reason = "power on";
    const heap = () =>
      Math.round(HEAP_BYTES - 26_000 - leaked - BREATH_BYTES * (0.5 + 0.5 * Math.sin(uptimeS / 3)) + noise(random, 90));
    return {
      step(seconds) {
        uptimeS += seconds;
        leaked += LEAK_BYTES_S * seconds;
        if (random() < seconds / 60) canErrors += 1;
        if (HEAP_BYTES - 26_000 - leaked - BREATH_BYTES > EMPTY_BYTES) return;
        [uptimeS, leaked, lowest, canErrors] = [0, 0, HEAP_BYTES, 0];
        resets += 1;
        reason = "watchdog";
      },
      read(): JsonObject {
        const isBusy = uptimeS % BURST.everyS > BURST.everyS - BURST.forS;
        const slices = schedule(random, isBusy ? BURST.factor : 1);
        const free = heap();
        lowest = Math.min(lowest, free);
        const tasks = TASKS.map(({ name, stackBytes }, i) => ({
          name,
          state: i === 0 ? "running" : i % 2 === 1 ? "ready" : "blocked",
          load_pct: rounded(
            shareOf(slices, ({ task }) => task === name),
            1,
          ),
          stack_free_bytes: stackBytes,
        }));
        return {
          load_pct: [0, 1].map((core) =>
            rounded(
              shareOf(slices, (slice) => slice.core === core),
              1,
            ),
          ),
          ...{ heap_free_bytes: free, heap_min_bytes: lowest, tasks, slices, resets, reset_reason: reason },
          ...{ uptime_s: rounded(uptimeS, 1), errors: { i2c: 0, can: canErrors } },
        };
      },
    };
  },
};
