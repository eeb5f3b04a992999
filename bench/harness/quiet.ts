import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { quietCores, quietSampleMs } from "./limits.ts";
import type { Measurement } from "./round.ts";

/** The kernel counts in hundredths of a second, whatever its own clock. */
const TICKS_PER_SECOND = 100;

/** CPU time of all cores and everybody. proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. */
export function busySeconds(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/ +/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
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
    const [before, startMs] = [busySeconds(), performance.now()];
    await delay(quietSampleMs, undefined, { signal });
    const seconds = (performance.now() - startMs) / 1_000;
    if ((busySeconds() - before) / seconds < quietCores) return;
  }
}
