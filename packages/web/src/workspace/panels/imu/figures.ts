import { lineThrough } from "../../parts/maths/maths.ts";
import { angleBetween } from "./attitude.ts";

/**
 * Allan deviation with overlapping groups of `group` samples: how much the means of neighbouring groups differ. For white
 * noise it is the deviation of one sample, divided by the root of the group's size.
 */
export function allanDeviation(values: readonly number[], group: number): number {
  const sums = [0];
  for (const value of values) sums.push((sums.at(-1) ?? 0) + value);
  const count = values.length - 2 * group + 1;
  if (group < 1 || count < 1) return Number.NaN;
  let squares = 0;
  for (let i = 0; i < count; i += 1) {
    const [a, b, c] = [sums[i] ?? 0, sums[i + group] ?? 0, sums[i + 2 * group] ?? 0];
    squares += ((c - 2 * b + a) / group) ** 2;
  }
  return Math.sqrt(squares / (2 * count));
}

const GROUP_S = 0.25;

/** Noise per root of hertz: the Allan deviation of a quarter of a second, as if for one second. */
export function noiseDensity(values: readonly number[], periodS: number): number {
  const group = Math.max(1, Math.round(GROUP_S / periodS));
  return allanDeviation(values, group) * Math.sqrt(group * periodS);
}

/** How fast an angle turns away, in degrees per hour. `points`: seconds and degrees. */
export function driftPerHour(points: readonly (readonly [seconds: number, degrees: number])[]): number {
  let angle = points[0]?.[1] ?? 0;
  const unwound = points.map(([seconds, degrees]) => {
    angle += angleBetween(angle, degrees);
    return [seconds, angle] as const;
  });
  return lineThrough(unwound).slope * 3_600;
}
