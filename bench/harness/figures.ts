import { BenchFault } from "./fault.ts";
import type { Measurement, Round } from "./round.ts";

export type Spread = { median: number; min: number; max: number };

/** Higher is better for rates, lower for the others. */
export type Rate = "per CPU-s" | "per s";
export type Measure = Rate | "bytes each" | "p50 ms" | "p99 ms";

/** Operations per second of CPU time are valid while other work runs on the machine; per second of wall time they are not. */
export const rates: readonly Rate[] = ["per CPU-s", "per s"];

export type Comparison = { ours: Spread; peer: Spread; ratio: Spread };

/** Ratios are taken within a repetition, because what slowed one contestant then slowed the other too. */
export function compareWith(peer: string, ours: string, rounds: readonly Round[], measure: Measure): Comparison {
  const counted = rounds.filter(({ dropped }) => !dropped);
  const own = counted.map((round) => figureOf(measurementOf(round, ours), measure));
  const other = counted.map((round) => figureOf(measurementOf(round, peer), measure));
  const ratios = own.map((value, index) => value / (other[index] ?? Number.NaN));
  return { ours: spreadOf(own), peer: spreadOf(other), ratio: spreadOf(ratios) };
}

export function latencyOf(label: string, rounds: readonly Round[]): { p50Ms: Spread; p99Ms: Spread } | undefined {
  const counted = rounds.filter(({ dropped }) => !dropped).map((round) => measurementOf(round, label));
  const p50 = counted.map(({ p50Ms }) => p50Ms).filter((value) => value !== undefined);
  const p99 = counted.map(({ p99Ms }) => p99Ms).filter((value) => value !== undefined);
  return p50.length === 0 ? undefined : { p50Ms: spreadOf(p50), p99Ms: spreadOf(p99) };
}

function measurementOf({ measurements }: Round, label: string): Measurement {
  const found = measurements[label];
  if (found === undefined) throw new BenchFault(`There is no measurement of ${label}.`);
  return found;
}

function figureOf({ operations, cpuS, wallS, bytesEach, p50Ms, p99Ms }: Measurement, measure: Measure): number {
  switch (measure) {
    case "per CPU-s":
      return operations / cpuS;
    case "per s":
      return operations / wallS;
    case "bytes each":
      return bytesEach ?? Number.NaN;
    case "p50 ms":
      return p50Ms ?? Number.NaN;
    case "p99 ms":
      return p99Ms ?? Number.NaN;
  }
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return { median: (low + high) / 2, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}
