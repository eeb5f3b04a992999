import type { Track } from "./track.ts";

/** A line is broken where samples are missing for more than this many periods, and for longer than this. */
const GAP_PERIODS = 4;
const MIN_GAP_MS = 1_000;
const MAX_GAPS = 1_024;

/** How one value is read from a track: a field, or a formula of several. NaN: no value. */
export type Reader = (track: Track, sample: number) => number;

export type Gap = readonly [fromMs: number, toMs: number];

/** One point per pixel column. Undefined: nothing was measured in it, the line goes on. Null: the line is broken. */
export type Columns = { low: Value[]; high: Value[]; mean: Value[]; isDense: boolean };
type Value = number | null | undefined;

/**
 * The lowest, highest and mean value of every pixel column of a plot. Samples are added to it and never looked at again;
 * only a new width, another window or replaced samples build it anew.
 */
export type Envelope = {
  readonly columnMs: number;
  readonly gaps: readonly Gap[];
  /** Adds what has come since. */
  update(): void;
  /** Buckets of the history, before the first sample. */
  prepend(history: Buckets): void;
  /** Of these columns; a column's number is its time divided by `columnMs`. Only as many before them are kept. */
  columns(from: number, to: number): Columns;
};

export type Buckets = {
  tMs: readonly number[];
  sizeMs: number;
  min: readonly (number | null)[];
  max: readonly (number | null)[];
  mean: readonly (number | null)[];
};

type Cell = { low: number; high: number; sum: number; count: number };

export const gapAfterMs = (periodMs: number | undefined): number =>
  periodMs === undefined ? Number.POSITIVE_INFINITY : Math.max(MIN_GAP_MS, GAP_PERIODS * periodMs);

type Options = {
  columnMs: number;
  fromMs: number;
  convert?: ((value: number) => number) | undefined;
  /** A sample without this value breaks the line, however short. */
  isBroken?: boolean | undefined;
};

export function createEnvelope(
  track: Track,
  read: Reader,
  { columnMs, fromMs, convert = (value) => value, isBroken = false }: Options,
): Envelope {
  let cells = new Map<number, Cell>();
  let gaps: Gap[] = [];
  let next = track.from(fromMs);
  let revision = track.revision;
  let lastMs: number | undefined;
  let past: Buckets | undefined;
  /** A sample since the last value had none. */
  let isMissing = false;

  function addCell(column: number, low: number, high: number, mean: number): void {
    const cell = cells.get(column);
    if (!cell) {
      cells.set(column, { low, high, sum: mean, count: 1 });
      return;
    }
    cell.low = Math.min(cell.low, low);
    cell.high = Math.max(cell.high, high);
    cell.sum += mean;
    cell.count += 1;
  }

  function breakBefore(tMs: number, gapMs: number): void {
    if (lastMs === undefined || tMs - lastMs <= gapMs) return;
    gaps.push([lastMs, tMs]);
    if (gaps.length > MAX_GAPS) gaps.shift();
  }

  function addPast(): void {
    if (!past) return;
    const untilMs = track.next > track.first ? track.timeAt(track.first) : Number.POSITIVE_INFINITY;
    for (const [i, t] of past.tMs.entries()) {
      const [low, high, mean] = [past.min[i], past.max[i], past.mean[i]];
      const tMs = t + past.sizeMs / 2;
      if (tMs >= untilMs || typeof low !== "number" || typeof high !== "number") continue;
      breakBefore(tMs, 2 * past.sizeMs + gapAfterMs(track.periodMs() ?? 0));
      const edges = [convert(low), convert(high)] as const;
      addCell(Math.floor(tMs / columnMs), Math.min(...edges), Math.max(...edges), convert(mean ?? (low + high) / 2));
      lastMs = tMs;
    }
  }

  function rebuild(): void {
    cells = new Map();
    gaps = [];
    lastMs = undefined;
    isMissing = false;
    next = track.from(fromMs);
    revision = track.revision;
    addPast();
  }

  /** Time goes forward: what a plot has left behind is not drawn again. Cells are in the order of time. */
  function forgetBefore(column: number): void {
    for (const each of cells.keys()) {
      if (each >= column) return;
      cells.delete(each);
    }
  }

  const envelope: Envelope = {
    columnMs,
    get gaps() {
      return gaps;
    },
    update() {
      if (revision !== track.revision) rebuild();
      next = Math.max(next, track.first);
      const gapMs = gapAfterMs(track.periodMs());
      for (; next < track.next; next += 1) {
        const tMs = track.timeAt(next);
        const value = read(track, next);
        if (Number.isNaN(value)) {
          isMissing = isBroken;
          continue;
        }
        breakBefore(tMs, isMissing ? 0 : gapMs);
        addCell(Math.floor(tMs / columnMs), value, value, value);
        lastMs = tMs;
        isMissing = false;
      }
    },
    prepend(history) {
      past = history;
      rebuild();
      envelope.update();
    },
    columns(from, to) {
      const made: Columns = { low: [], high: [], mean: [], isDense: false };
      const breaks = new Uint8Array(Math.max(0, to - from));
      // Every column of a gap: a line would go on from one to the next that has a value.
      for (const [a, b] of gaps) {
        const [start, end] = [Math.floor(a / columnMs) + 1 - from, Math.floor(b / columnMs) - from];
        if (end > 0 && start < end) breaks.fill(1, Math.max(0, start), end);
      }
      let filled = 0;
      let samples = 0;
      for (let column = from; column < to; column += 1) {
        const cell = cells.get(column);
        const none = breaks[column - from] ? null : undefined;
        made.low.push(cell?.low ?? none);
        made.high.push(cell?.high ?? none);
        made.mean.push(cell ? cell.sum / cell.count : none);
        filled += cell ? 1 : 0;
        samples += cell?.count ?? 0;
        if (cell && cell.high > cell.low && past) made.isDense = true;
      }
      made.isDense ||= samples > 1.5 * filled;
      forgetBefore(from - (to - from));
      return made;
    },
  };
  envelope.update();
  return envelope;
}
