import { type Blocks, createBlocks, samplesIn } from "./blocks.ts";
import type { Buckets, Reader } from "./envelope.ts";
import type { Range } from "./range.ts";
import type { Track } from "./track.ts";

export type Statistics = { count: number; min: number; max: number; mean: number; deviation: number };

/** `squares`: of the differences from the mean. */
type Sums = Omit<Statistics, "deviation"> & { squares: number };

const NOTHING: Sums = {
  ...{ count: 0, mean: 0, squares: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY },
};

/** Welford: stable for values that are large beside their differences. */
const summing =
  (read: Reader) =>
  (track: Track, from: number, to: number): Sums => {
    let { count, mean, squares, min, max } = NOTHING;
    for (let sample = from; sample < to; sample += 1) {
      const value = read(track, sample);
      if (Number.isNaN(value)) continue;
      count += 1;
      const before = value - mean;
      mean += before / count;
      squares += before * (value - mean);
      if (value < min) min = value;
      if (value > max) max = value;
    }
    return { count, mean, squares, min, max };
  };

/** Chan, Golub and LeVeque: as stable as one sum over both. */
function together(a: Sums, b: Sums): Sums {
  const count = a.count + b.count;
  if (b.count === 0) return a;
  const apart = b.mean - a.mean;
  return {
    ...{ count, mean: a.mean + (apart * b.count) / count },
    squares: a.squares + b.squares + (apart * apart * a.count * b.count) / count,
    ...{ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) },
  };
}

const blocksOf = new WeakMap<Reader, Blocks<Sums>>();

/** Of all samples in these times. */
export function statisticsOf(track: Track, read: Reader, [fromMs, toMs]: Range): Statistics {
  const blocks = blocksOf.get(read) ?? createBlocks(summing(read));
  blocksOf.set(read, blocks);
  const { count, min, max, mean, squares } = blocks(track, ...samplesIn(track, fromMs, toMs)).reduce(together, NOTHING);
  if (count === 0) return { count, min: Number.NaN, max: Number.NaN, mean: Number.NaN, deviation: Number.NaN };
  return { count, min, max, mean, deviation: Math.sqrt(squares / count) };
}

type WithPast = {
  track: Track;
  read: Reader;
  history?: Buckets | undefined;
  convert?: ((value: number) => number) | undefined;
};

/** A time for which only the lowest, highest and mean value are known. */
export type Past = { tMs: number; sizeMs: number; min: number; max: number; mean: number };

/** Buckets of the history in these times, before the first sample of the page. */
export function* pastOf(
  { track, history, convert = (value) => value }: WithPast,
  [fromMs, toMs]: Range,
): Generator<Past> {
  const untilMs = track.next > track.first ? Math.min(toMs, track.timeAt(track.first)) : toMs;
  for (const [i, tMs] of history?.tMs.entries() ?? []) {
    const [min, max, mean] = [history?.min[i], history?.max[i], history?.mean[i]];
    if (tMs < fromMs || tMs >= untilMs || typeof min !== "number" || typeof max !== "number") continue;
    const sizeMs = history?.sizeMs ?? 0;
    yield { tMs, sizeMs, min: convert(min), max: convert(max), mean: convert(mean ?? (min + max) / 2) };
  }
}

/** The lowest and highest value in these times, with what is only known from the history. NaN: there is none. */
export function extremesOf(series: WithPast, times: Range): { min: number; max: number } {
  const { count, min, max } = statisticsOf(series.track, series.read, times);
  const found = count > 0 ? { min, max } : { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
  for (const past of pastOf(series, times)) {
    found.min = Math.min(found.min, past.min);
    found.max = Math.max(found.max, past.max);
  }
  return found.min <= found.max ? found : { min: Number.NaN, max: Number.NaN };
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

const DIGITS_OF = 32;

/** The last values: they show how many digits the sensor has. */
export function* recentValues(track: Track, read: Reader): Generator<number> {
  for (let sample = Math.max(track.first, track.next - DIGITS_OF); sample < track.next; sample += 1)
    yield read(track, sample);
}
