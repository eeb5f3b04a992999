// What a reflow run is judged by. Times are seconds of the run.
import { lineThrough } from "../../parts/maths/maths.ts";

/** A point of a profile. */
export type Point = { t_s: number; c: number };
/** What was measured. */
export type Measured = { s: number; c: number };
export type Limits = readonly [low: number, high: number];

/** Tin, silver, copper: what most boards are soldered with. */
export const SAC305: readonly Point[] = [
  { t_s: 0, c: 25 },
  { t_s: 75, c: 150 },
  { t_s: 165, c: 180 },
  { t_s: 215, c: 232 },
  { t_s: 230, c: 245 },
  { t_s: 245, c: 245 },
  { t_s: 330, c: 100 },
  { t_s: 360, c: 60 },
];
export const LIQUIDUS_C = 217;
const SOAK_C: Limits = [150, 180];

/** What solder paste asks for. */
export const WINDOWS = {
  aboveS: [45, 75],
  peakC: [235, 250],
  rampCS: [0, 3],
  soakS: [60, 120],
} as const satisfies Record<string, Limits>;

export function profileAt(profile: readonly Point[], s: number): number {
  const next = profile.findIndex(({ t_s }) => t_s > s);
  const [a, b] = [profile[next - 1], profile[next]];
  if (next === 0) return profile[0]?.c ?? Number.NaN;
  if (!a || !b) return profile.at(-1)?.c ?? Number.NaN;
  return a.c + ((b.c - a.c) * (s - a.t_s)) / (b.t_s - a.t_s);
}

/** Measurements that are further apart say nothing about the time between them. */
const GAP_S = 10;

/** How long it was between these temperatures; crossings are found between samples. `isRising`: only on the way up. */
export function timeBetween(points: readonly Measured[], [low, high]: Limits, isRising = false): number {
  let total = 0;
  for (const [i, to] of points.entries()) {
    const from = points[i - 1];
    if (!from || to.s - from.s > GAP_S || (isRising && to.c < from.c)) continue;
    const [bottom, top] = [Math.min(from.c, to.c), Math.max(from.c, to.c)];
    const inside = Math.min(top, high) - Math.max(bottom, low);
    if (top === bottom) total += bottom >= low && bottom <= high ? to.s - from.s : 0;
    else if (inside > 0) total += ((to.s - from.s) * inside) / (top - bottom);
  }
  return total;
}

export const aboveLiquidusS = (points: readonly Measured[]): number =>
  timeBetween(points, [LIQUIDUS_C, Number.POSITIVE_INFINITY]);

/** Up to the peak only. */
export function soakS(points: readonly Measured[]): number {
  const peak = points.findIndex(({ c }) => c === peakC(points));
  return timeBetween(points.slice(0, peak + 1), SOAK_C, true);
}

export const peakC = (points: readonly Measured[]): number =>
  points.reduce((highest, { c }) => Math.max(highest, c), Number.NEGATIVE_INFINITY);

const RAMP_S = 10;

/** °C per second, over the last 10 s before this time. NaN: too few values. */
export function rampAt(points: readonly Measured[], s: number): number {
  const near = points.filter((point) => point.s <= s && point.s >= s - RAMP_S);
  const first = near[0];
  if (near.length < 3 || !first || s - first.s < RAMP_S / 2) return Number.NaN;
  return lineThrough(near.map((point) => [point.s, point.c] as const)).slope;
}

/** The steepest rise. */
export function steepestCS(points: readonly Measured[]): number {
  let steepest = Number.NaN;
  for (let s = (points[0]?.s ?? 0) + RAMP_S; s <= (points.at(-1)?.s ?? 0); s += RAMP_S / 2) {
    const ramp = rampAt(points, s);
    if (!(ramp <= steepest)) steepest = ramp;
  }
  return steepest;
}

const LAG_S = 40;
const MIN_RAMP_CS = 0.15;
const LAGS: Limits = [3, 60];

/**
 * How the run goes on: the board follows the profile with a lag, which is taken from the last seconds. Undefined: too early to
 * say.
 */
export function predict(points: readonly Measured[], profile: readonly Point[]): Measured[] | undefined {
  const last = points.at(-1);
  const end = profile.at(-1)?.t_s ?? 0;
  if (!last || last.s >= end) return undefined;
  let [lags, count] = [0, 0];
  for (let s = last.s - LAG_S; s <= last.s; s += 4) {
    const ramp = rampAt(points, s);
    const here = points.findLast((point) => point.s <= s);
    if (!here || !(Math.abs(ramp) > MIN_RAMP_CS)) continue;
    lags += (profileAt(profile, s) - here.c) / ramp;
    count += 1;
  }
  if (count < 3) return undefined;
  const lag = Math.max(LAGS[0], Math.min(LAGS[1], lags / count));
  const ahead: Measured[] = [last];
  let { s, c } = last;
  while (s < end) {
    const step = Math.min(1, end - s);
    s += step;
    c += ((profileAt(profile, s) - c) * step) / lag;
    ahead.push({ s, c });
  }
  return ahead;
}

/** How much of a window is used: 0 % in its middle, 100 % at its edge, more outside. */
export const windowIndex = (value: number, [low, high]: Limits): number =>
  (Math.abs(value - (low + high) / 2) / ((high - low) / 2)) * 100;

/** The process-window index of a run: its worst figure. What is not known yet does not count. */
export const processWindowIndex = (figures: readonly (readonly [number, Limits])[]): number => {
  const known = figures.filter(([value]) => Number.isFinite(value)).map((figure) => windowIndex(...figure));
  return known.length === 0 ? Number.NaN : Math.max(...known);
};

const MIN_APART_S = 5;
const MAX_C = 280;

/** One point is moved, between its neighbours. The first one stays at the beginning. */
export function movePoint(profile: readonly Point[], place: number, { t_s, c }: Point): Point[] {
  const [before, after] = [profile[place - 1], profile[place + 1]];
  const low = before ? before.t_s + MIN_APART_S : 0;
  const high = place === 0 ? 0 : after ? after.t_s - MIN_APART_S : 1_200;
  const moved = { t_s: Math.round(Math.max(low, Math.min(high, t_s))), c: Math.round(Math.max(0, Math.min(MAX_C, c))) };
  return profile.map((point, i) => (i === place ? moved : point));
}
