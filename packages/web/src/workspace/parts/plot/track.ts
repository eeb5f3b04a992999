import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import type { PanelBatch } from "../../devices/devices.ts";

const FIRST_CAPACITY = 1_024;
/** Like the hub, which keeps no more of a channel. */
const MAX_SAMPLES = DEVICES_LIMITS.maxKeptSamples;
/** Of a slow channel, as many are kept also when they are older than what the hub keeps. */
const MIN_KEPT = 8_192;
/** Arrays grow, or become free, by at least this part of them. */
const SPARE = 1 / 8;
/** The last samples of which the period is measured. */
const PERIOD_OF = 64;
const MIN_FOR_PERIOD = 8;
/** A channel whose slow steps are longer than this many of its quick ones has no period: it sends when something changes. */
const IRREGULAR = 6;

/** The samples of one channel in this page, by consecutive numbers. Old ones are dropped. */
export type Track = {
  /** The numbers of the oldest sample, and of the one that comes next. */
  readonly first: number;
  readonly next: number;
  /** Increases when samples that were there have been replaced. */
  readonly revision: number;
  readonly isThinned: boolean;
  /** Keeps samples for longer from now on. */
  keep(keptMs: number): void;
  append(batch: Omit<PanelBatch, "isReset"> & Partial<PanelBatch>): void;
  timeAt(sample: number): number;
  /** NaN: no value. */
  valueAt(field: string, sample: number): number;
  /** Of fields that are lists, objects or text. Null: no value. */
  dataAt(field: string, sample: number): JsonData | null;
  /** The first sample at this time or later. */
  from(tMs: number): number;
  /** How far its samples are apart; undefined: they come when something changes, or there are too few of them. */
  periodMs(): number | undefined;
};

/** `keptMs`: samples that are older than this beside the newest are dropped. */
export function createTrack({ keptMs: firstKeptMs = Number.POSITIVE_INFINITY } = {}): Track {
  let keptMs = firstKeptMs;
  let times = new Float64Array(FIRST_CAPACITY);
  const columns = new Map<string, Float64Array<ArrayBuffer>>();
  const data = new Map<string, (JsonData | null)[]>();
  /** Places in the arrays, and the number of the sample at place 0. */
  let start = 0;
  let end = 0;
  let base = 0;
  let revision = 0;
  let isThinned = false;

  /** The place of the oldest sample that stays. */
  function oldestKept(): number {
    const young = placeOf((times[end - 1] ?? 0) - DEVICES_LIMITS.keptMs);
    const most = end - Math.floor(MAX_SAMPLES * (1 - SPARE));
    return Math.max(start, most, Math.min(young, end - MIN_KEPT));
  }

  /** Drops what is old if that is worth the copy, otherwise takes some more memory. */
  function makeRoom(): void {
    const from = oldestKept();
    if (from < times.length * SPARE) {
      times = grown(times);
      for (const [name, values] of columns) columns.set(name, grown(values));
      return;
    }
    for (const each of [times, ...columns.values(), ...data.values()]) each.copyWithin(0, from, end);
    for (const each of data.values()) each.length = end - from;
    base += from;
    start = 0;
    end -= from;
  }

  function columnOf(name: string): Float64Array<ArrayBuffer> {
    const known = columns.get(name);
    if (known) return known;
    const made = new Float64Array(times.length).fill(Number.NaN);
    columns.set(name, made);
    return made;
  }

  function put(name: string, value: JsonData | null): void {
    if (typeof value !== "string" && (typeof value !== "object" || value === null)) {
      columnOf(name)[end] = numberOf(value);
      return;
    }
    const column = data.get(name) ?? [];
    data.set(name, column);
    while (column.length < end) column.push(null);
    column[end] = value;
  }

  /** The place of the first sample at this time or later. */
  function placeOf(tMs: number): number {
    let low = start;
    let high = end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] as number) < tMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    get first() {
      return base + start;
    },
    get next() {
      return base + end;
    },
    get revision() {
      return revision;
    },
    get isThinned() {
      return isThinned;
    },
    keep(ms) {
      keptMs = Math.max(keptMs, ms);
    },
    append({ tMs, fields, isHistory, thinned, isReset = false }) {
      if (isReset) {
        start = end;
        revision += 1;
      }
      const firstMs = tMs[0];
      if (firstMs === undefined) return;
      isThinned = thinned;
      const place = isHistory ? placeOf(firstMs) : end;
      if (place < end) {
        end = place;
        revision += 1;
      }
      for (const [i, t] of tMs.entries()) {
        if (end === times.length) makeRoom();
        times[end] = t;
        for (const name of columns.keys()) columnOf(name)[end] = Number.NaN;
        for (const column of data.values()) column.length = Math.min(column.length, end);
        for (const name of Object.keys(fields)) put(name, fields[name]?.[i] ?? null);
        end += 1;
      }
      while (end - start > 1 && (times[start] as number) < (times[end - 1] as number) - keptMs) start += 1;
    },
    timeAt: (sample) => times[sample - base] ?? Number.NaN,
    valueAt: (field, sample) => columns.get(field)?.[sample - base] ?? Number.NaN,
    dataAt: (field, sample) => data.get(field)?.[sample - base] ?? null,
    from: (tMs) => base + placeOf(tMs),
    periodMs: () => periodOf(times.subarray(Math.max(start, end - PERIOD_OF), end)),
  };
}

const grown = (values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(Math.ceil(values.length * (1 + SPARE))).fill(Number.NaN);
  larger.set(values);
  return larger;
};

const numberOf = (value: unknown): number =>
  typeof value === "number" ? value : typeof value === "boolean" ? Number(value) : Number.NaN;

/** The middle step, unless the steps differ too much. */
function periodOf(times: Float64Array): number | undefined {
  if (times.length < MIN_FOR_PERIOD) return undefined;
  const steps = Array.from(times.subarray(1), (t, i) => t - (times[i] as number)).sort((a, b) => a - b);
  const at = (share: number) => steps[Math.floor(share * (steps.length - 1))] as number;
  const middle = at(0.5);
  return middle > 0 && at(0.9) <= IRREGULAR * middle ? middle : undefined;
}
