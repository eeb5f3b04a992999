import type { Reader } from "./envelope.ts";
import type { Range } from "./range.ts";
import type { Track } from "./track.ts";

export type Statistics = { count: number; min: number; max: number; mean: number; deviation: number };

/** Of all samples in these times. Welford: stable for values that are large beside their differences. */
export function statisticsOf(track: Track, read: Reader, [fromMs, toMs]: Range): Statistics {
  let count = 0;
  let mean = 0;
  let squares = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= toMs; sample += 1) {
    const value = read(track, sample);
    if (Number.isNaN(value)) continue;
    count += 1;
    const before = value - mean;
    mean += before / count;
    squares += before * (value - mean);
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  if (count === 0) return { count, min: Number.NaN, max: Number.NaN, mean: Number.NaN, deviation: Number.NaN };
  return { count, min, max, mean, deviation: Math.sqrt(squares / count) };
}

/** The sample nearest to a time; undefined: there is none. */
export function nearestSample(track: Track, tMs: number): number | undefined {
  if (track.next === track.first) return undefined;
  const after = Math.min(track.from(tMs), track.next - 1);
  const before = Math.max(track.first, after - 1);
  return Math.abs(track.timeAt(before) - tMs) <= Math.abs(track.timeAt(after) - tMs) ? before : after;
}

export const lastValue = (track: Track, read: Reader): number =>
  track.next > track.first ? read(track, track.next - 1) : Number.NaN;

/** When the last sample was measured. */
export const lastTimeMs = (track: Track): number | undefined =>
  track.next > track.first ? track.timeAt(track.next - 1) : undefined;

const DIGITS_OF = 32;

/** The last values: they show how many digits the sensor has. */
export function* recentValues(track: Track, read: Reader): Generator<number> {
  for (let sample = Math.max(track.first, track.next - DIGITS_OF); sample < track.next; sample += 1)
    yield read(track, sample);
}
