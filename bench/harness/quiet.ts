import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { quietCores, quietSampleMs } from "./limits.ts";
import type { Measurement } from "./round.ts";

/** The kernel counts in hundredths of a second, whatever its own clock. */
const TICKS_PER_SECOND = 100;

/**
 * How many cores everybody together keeps busy from now until asked. The kernel samples busy time, which misses work
 * between two ticks, and knows idle time better; but not on every machine: the larger of the two counts.
 */
export function watchMachine(): () => number {
  const before = readTimes();
  const startMs = performance.now();
  return () => {
    const { busyS, idleS } = readTimes();
    const seconds = (performance.now() - startMs) / 1_000;
    const notIdle = availableParallelism() - (idleS - before.idleS) / seconds;
    return Math.max((busyS - before.busyS) / seconds, notIdle);
  };
}

/** proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal, of all cores together. */
function readTimes(): { busyS: number; idleS: number } {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
  const seconds = line
    .split(/ +/)
    .slice(1)
    .map((ticks) => Number(ticks) / TICKS_PER_SECOND);
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = seconds;
  return { busyS: user + nice + system + irq + softirq + steal, idleS: idle + iowait };
}

export const isDisturbed = ({ othersCores = 0 }: Measurement): boolean => othersCores > quietCores;

/**
 * Measures on a quiet machine, as far as it is to be had before the deadline: waits for one, and tries again when others
 * worked meanwhile. For latencies: unlike CPU time, the clock does not stop while somebody else is served.
 */
export async function measureInQuiet(
  measure: () => Promise<Measurement>,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<Measurement> {
  for (;;) {
    await untilQuiet(deadlineMs, signal);
    const measurement = await measure();
    if (!isDisturbed(measurement) || performance.now() >= deadlineMs) return measurement;
  }
}

async function untilQuiet(deadlineMs: number, signal: AbortSignal): Promise<void> {
  while (performance.now() < deadlineMs) {
    const busyCores = watchMachine();
    await delay(quietSampleMs, undefined, { signal });
    if (busyCores() < quietCores) return;
  }
}
