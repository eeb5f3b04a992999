import { collectGarbage } from "../harness/garbage.ts";
import type { Measurement } from "../harness/round.ts";

/** This many of the same, one after the other. */
export async function measureEach(act: (i: number) => Promise<unknown>, count: number): Promise<Measurement> {
  collectGarbage();
  const took: number[] = [];
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  for (let i = 0; i < count; i++) {
    const fromMs = performance.now();
    await act(i);
    took.push(performance.now() - fromMs);
  }
  const { user, system } = process.cpuUsage(cpu);
  took.sort((a, b) => a - b);
  return {
    operations: count,
    wallS: (performance.now() - startMs) / 1_000,
    cpuS: (user + system) / 1_000_000,
    p50Ms: percentile(took, 0.5),
    p99Ms: percentile(took, 0.99),
  };
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
