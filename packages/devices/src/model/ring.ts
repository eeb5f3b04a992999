import { DEVICES_LIMITS, type Field } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";

const MAX_CHUNK_SAMPLES = 512;
const MAX_CHUNK_BYTES = 262_144;
const NUMBER_BYTES = 8;
/** So that no two samples of a channel have the same time: pages ask for what came after the last one. */
const TICK_MS = 0.001;
/** A clock that is set back by more begins a new ring. */
const SET_BACK_MS = 1_000;

/** Columns of samples: `values[i]` belongs to the i-th of the fields that were asked for. Null: no value at that time. */
export type Columns = { tMs: number[]; values: (JsonData | null)[][] };

/** A sample as it is kept. */
export type Kept = { tMs: number; deviceTMs: number | undefined; values: JsonObject };

type Column = Float64Array | (JsonData | null)[];
type Chunk = {
  first: number;
  count: number;
  bytes: number;
  tMs: Float64Array;
  deviceTMs: Float64Array | undefined;
  columns: Map<string, Column>;
};

/** The last samples of one channel, numbered from 0 without a gap. Numbers take 8 bytes each. */
export type Ring = {
  /** The number of the oldest sample that is still here, and of the one that comes next. */
  readonly first: number;
  readonly next: number;
  readonly bytes: number;
  readonly lastTMs: number | undefined;
  /** When the oldest chunk of samples ended; undefined: only the newest one is there. */
  readonly oldestTMs: number | undefined;
  /** Returns the time that the sample got, which is later than that of all before. */
  append(tMs: number, values: JsonObject, deviceTMs?: number): number;
  /** The number of the first sample after this time, or at it. */
  after(tMs: number): number;
  from(tMs: number): number;
  /** At most `max` samples from this number on, and the number after them. */
  columns(from: number, max: number, fields: readonly string[]): Columns & { next: number };
  sample(number: number): Kept | undefined;
  dropOldest(): void;
};

export function createRing(
  fields: Readonly<Record<string, Field>>,
  limits: { keptMs: number; maxKeptSamples: number } = DEVICES_LIMITS,
): Ring {
  let chunks: Chunk[] = [];
  let next = 0;
  let bytes = 0;
  let lastTMs: number | undefined;
  const isNumeric = (name: string) => fields[name]?.datatype === "number" || fields[name]?.datatype === "integer";

  // With the two times. Their columns are made for a whole chunk, so with very many of them it has fewer samples: numbers
  // take half of it at most, and text may have the rest before another one begins.
  const numeric = Object.keys(fields).filter(isNumeric).length + 2;
  const chunkSamples = Math.min(MAX_CHUNK_SAMPLES, Math.floor(MAX_CHUNK_BYTES / 2 / NUMBER_BYTES / numeric));

  const newChunk = (): Chunk => {
    bytes += chunkSamples * NUMBER_BYTES;
    return {
      ...{ first: next, count: 0, bytes: chunkSamples * NUMBER_BYTES },
      ...{ tMs: new Float64Array(chunkSamples), deviceTMs: undefined, columns: new Map() },
    };
  };
  const grow = (chunk: Chunk, by: number) => {
    chunk.bytes += by;
    bytes += by;
  };
  const numbers = (chunk: Chunk) => {
    grow(chunk, chunkSamples * NUMBER_BYTES);
    return new Float64Array(chunkSamples).fill(Number.NaN);
  };

  function put(chunk: Chunk, name: string, value: JsonData): void {
    let column = chunk.columns.get(name);
    if (!column) {
      column = isNumeric(name) ? numbers(chunk) : [];
      chunk.columns.set(name, column);
    }
    if (column instanceof Float64Array) column[chunk.count] = value as number;
    else {
      while (column.length < chunk.count) column.push(null);
      column.push(value);
      grow(chunk, NUMBER_BYTES + sizeOf(value));
    }
  }

  function dropOldest(): void {
    bytes -= chunks.shift()?.bytes ?? 0;
  }

  function forgetOld(nowMs: number): void {
    const isOld = ({ tMs, count }: Chunk) => (tMs[count - 1] ?? 0) < nowMs - limits.keptMs;
    while (chunks.length > 1 && (isOld(chunks[0] as Chunk) || next - firstNumber() >= limits.maxKeptSamples))
      dropOldest();
  }

  const firstNumber = (): number => chunks[0]?.first ?? next;

  /** The number of the first sample for which `isPast` is true. Times only grow. */
  function search(isPast: (tMs: number) => boolean): number {
    let [low, high] = [firstNumber(), next];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (isPast(timeOf(middle))) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function chunkOf(number: number): Chunk | undefined {
    let [low, high] = [0, chunks.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((chunks[middle] as Chunk).first <= number) low = middle;
      else high = middle - 1;
    }
    const chunk = chunks[low];
    return chunk && number >= chunk.first && number < chunk.first + chunk.count ? chunk : undefined;
  }

  function timeOf(number: number): number {
    const chunk = chunkOf(number);
    return chunk?.tMs[number - chunk.first] ?? 0;
  }

  return {
    get first() {
      return firstNumber();
    },
    get next() {
      return next;
    },
    get bytes() {
      return bytes;
    },
    get lastTMs() {
      return lastTMs;
    },
    get oldestTMs() {
      const oldest = chunks.length > 1 ? chunks[0] : undefined;
      return oldest?.tMs[oldest.count - 1];
    },
    append(tMs, values, deviceTMs) {
      if (lastTMs !== undefined && tMs < lastTMs - SET_BACK_MS) {
        chunks = [];
        bytes = 0;
        lastTMs = undefined;
      }
      const at = lastTMs === undefined || tMs > lastTMs ? tMs : lastTMs + TICK_MS;
      forgetOld(at);
      let chunk = chunks.at(-1);
      if (!chunk || chunk.count === chunkSamples || chunk.bytes > MAX_CHUNK_BYTES) {
        chunk = newChunk();
        chunks.push(chunk);
      }
      chunk.tMs[chunk.count] = at;
      if (deviceTMs !== undefined) {
        chunk.deviceTMs ??= numbers(chunk);
        chunk.deviceTMs[chunk.count] = deviceTMs;
      }
      for (const name of Object.keys(values)) put(chunk, name, values[name] ?? null);
      chunk.count += 1;
      next += 1;
      lastTMs = at;
      return at;
    },
    after: (tMs) => search((at) => at > tMs),
    from: (tMs) => search((at) => at >= tMs),
    columns(from, max, names) {
      const found: Columns = { tMs: [], values: names.map(() => []) };
      let number = Math.max(from, firstNumber());
      const end = Math.min(next, number + max);
      while (number < end) {
        const chunk = chunkOf(number);
        if (!chunk) break;
        const [low, high] = [number - chunk.first, Math.min(chunk.count, end - chunk.first)];
        for (let i = low; i < high; i += 1) found.tMs.push(chunk.tMs[i] as number);
        for (const [place, name] of names.entries()) {
          const column = chunk.columns.get(name);
          const values = found.values[place] as (JsonData | null)[];
          for (let i = low; i < high; i += 1) values.push(valueAt(column, i));
        }
        number = chunk.first + high;
      }
      return { ...found, next: number };
    },
    sample(number) {
      const chunk = chunkOf(number);
      if (!chunk) return undefined;
      const i = number - chunk.first;
      const values: JsonObject = {};
      for (const [name, column] of chunk.columns) {
        const value = valueAt(column, i);
        if (value !== null) values[name] = value;
      }
      const deviceTMs = chunk.deviceTMs?.[i];
      return {
        ...{ tMs: chunk.tMs[i] as number, values },
        deviceTMs: deviceTMs === undefined || Number.isNaN(deviceTMs) ? undefined : deviceTMs,
      };
    },
    dropOldest,
  };
}

function valueAt(column: Column | undefined, i: number): JsonData | null {
  const value = column?.[i];
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** About how many bytes a value takes. */
function sizeOf(value: JsonData): number {
  if (typeof value === "string") return value.length * 2;
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, one]) => sum + 2 * NUMBER_BYTES + key.length + sizeOf(one), 0);
}
