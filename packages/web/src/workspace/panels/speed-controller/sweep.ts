import type { JsonData } from "@backplane/contract/panels";
import { isObject, numberOf } from "../../controls/json.ts";
import type { Track } from "../../parts/plot/track.ts";

/** What was measured at one throttle. */
export type SweepPoint = { throttlePct: number; currentA: number; erpm: number; temperatureC: number };
export type Sweep = { atMs: number; points: readonly SweepPoint[] };
export type SweepEnds = { currentA: number; temperatureC: number; voltageV: number };

export const SWEEP_STEPS: readonly number[] = Array.from({ length: 16 }, (_, i) => 5 * (i + 1));
/** Of each step: it settles first, and is measured for the rest. */
export const SETTLE_MS = 500;
export const STEP_MS = 1_000;
export const SWEEP_TO_PCT = SWEEP_STEPS.at(-1) as number;

const MAX_POINTS = 64;

/** Means of what came between these times; undefined: nothing came. */
export function measure(track: Track, fromMs: number, throttlePct: number): SweepPoint | undefined {
  const mean = (field: string): number | undefined => {
    let [sum, count] = [0, 0];
    for (let sample = track.from(fromMs); sample < track.next; sample += 1) {
      const value = track.valueAt(field, sample);
      if (Number.isNaN(value)) continue;
      sum += value;
      count += 1;
    }
    return count === 0 ? undefined : sum / count;
  };
  const [currentA, erpm, temperatureC] = [mean("current_a"), mean("erpm"), mean("temperature_c")];
  if (currentA === undefined || erpm === undefined) return undefined;
  return { throttlePct, currentA, erpm, temperatureC: temperatureC ?? Number.NaN };
}

type Now = { currentA: number | undefined; temperatureC: number | undefined; voltageV: number | undefined };

/** Why a sweep ends before its last step; undefined: it goes on. */
export function endsEarly({ currentA, temperatureC, voltageV }: Now, ends: SweepEnds): string | undefined {
  if (currentA !== undefined && currentA > ends.currentA) return `The current is over ${ends.currentA} A.`;
  if (temperatureC !== undefined && temperatureC > ends.temperatureC)
    return `The case is over ${ends.temperatureC} °C.`;
  if (voltageV !== undefined && voltageV < ends.voltageV) return `The supply is under ${ends.voltageV} V.`;
  return undefined;
}

/** Current = a + b · uᶜ, with u the throttle from 0 to 1. */
export type Fit = { a: number; b: number; c: number; r2: number };

const [FROM_C, TO_C, STEP_C] = [1, 4, 0.02];

/** For each exponent the straight line by least squares; the best of them. Undefined: too few points. */
export function fitOf(points: readonly SweepPoint[]): Fit | undefined {
  if (points.length < 4) return undefined;
  const ys = points.map(({ currentA }) => currentA);
  const meanY = ys.reduce((sum, y) => sum + y, 0) / ys.length;
  const total = ys.reduce((sum, y) => sum + (y - meanY) ** 2, 0);
  let best: Fit | undefined;
  for (let c = FROM_C; c <= TO_C; c += STEP_C) {
    const xs = points.map(({ throttlePct }) => (throttlePct / 100) ** c);
    const meanX = xs.reduce((sum, x) => sum + x, 0) / xs.length;
    const spread = xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
    const b = xs.reduce((sum, x, i) => sum + (x - meanX) * ((ys[i] as number) - meanY), 0) / spread;
    const a = meanY - b * meanX;
    const left = xs.reduce((sum, x, i) => sum + ((ys[i] as number) - a - b * x) ** 2, 0);
    const r2 = total === 0 ? 1 : 1 - left / total;
    if (Number.isFinite(r2) && (!best || r2 > best.r2)) best = { a, b, c, r2 };
  }
  return best;
}

export const currentAt = ({ a, b, c }: Fit, throttlePct: number): number => a + b * (throttlePct / 100) ** c;

const COMPARED_PCT = 50;

/** 8 % less current at 50 % than before */
export function changeWords(now: Fit | undefined, last: Fit | undefined): string | undefined {
  if (!now || !last) return undefined;
  const [is, was] = [currentAt(now, COMPARED_PCT), currentAt(last, COMPARED_PCT)];
  const change = Math.round((100 * (is - was)) / was);
  if (!Number.isFinite(change)) return undefined;
  if (change === 0) return `as much current at ${COMPARED_PCT} %`;
  return `${Math.abs(change)} % ${change < 0 ? "less" : "more"} current at ${COMPARED_PCT} %`;
}

/** As the tab keeps it. */
export const keptOf = ({ atMs, points }: Sweep) => ({
  atMs,
  points: points.map(({ throttlePct, currentA, erpm, temperatureC }) =>
    [throttlePct, currentA, erpm, temperatureC].map((value) =>
      Number.isNaN(value) ? 0 : Math.round(value * 100) / 100,
    ),
  ),
});

export function readSweep(value: JsonData | undefined): Sweep | undefined {
  if (!isObject(value) || !Array.isArray(value.points)) return undefined;
  const points = value.points.slice(0, MAX_POINTS).flatMap((one): SweepPoint[] => {
    if (!Array.isArray(one) || one.length !== 4 || one.some((each) => typeof each !== "number")) return [];
    const [throttlePct, currentA, erpm, temperatureC] = one as [number, number, number, number];
    return [{ throttlePct, currentA, erpm, temperatureC }];
  });
  return points.length === 0 ? undefined : { atMs: numberOf(value.atMs) ?? 0, points };
}
