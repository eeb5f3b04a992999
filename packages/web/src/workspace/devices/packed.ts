import type { WireBatch } from "@backplane/contract/devices";

/** Before the times of a batch: its subscription, its flags, how many rows and how many columns it has. */
const HEAD = 4;
const FLAGS = { thin: 1, h: 2, reset: 4 } as const;

/** Batches of which all values are numbers, in one piece of memory that moves from thread to thread; the others as they are. */
export type Packed = { numbers: Float64Array<ArrayBuffer>; others: WireBatch[] };

export function pack(batches: readonly WireBatch[]): Packed {
  const others: WireBatch[] = [];
  const plain: WireBatch[] = [];
  let length = 0;
  for (const batch of batches) {
    if (isPlain(batch)) {
      plain.push(batch);
      length += HEAD + batch.t.length * (1 + batch.v.length);
    } else others.push(batch);
  }
  const numbers = new Float64Array(length);
  let at = 0;
  for (const { c, t, v, thin, h, reset } of plain) {
    const flags = (thin ? FLAGS.thin : 0) | (h ? FLAGS.h : 0) | (reset ? FLAGS.reset : 0);
    numbers.set([c, flags, t.length, v.length], at);
    at += HEAD;
    for (const column of [t, ...v]) {
      for (const value of column) {
        // JSON has no NaN, so that it can stand for what is missing.
        numbers[at] = value === null ? Number.NaN : (value as number);
        at += 1;
      }
    }
  }
  return { numbers, others };
}

/** Names of fields come seldom: what has them is left as it is. */
const isPlain = ({ f, t, v }: WireBatch): boolean =>
  f === undefined &&
  v.every(
    (column) => column.length === t.length && column.every((value) => value === null || typeof value === "number"),
  );

export function unpack({ numbers, others }: Packed): WireBatch[] {
  const batches = others;
  let at = 0;
  const column = (rows: number): (number | null)[] => {
    const values: (number | null)[] = [];
    for (const end = at + rows; at < end; at += 1) {
      const value = numbers[at] as number;
      values.push(Number.isNaN(value) ? null : value);
    }
    return values;
  };
  while (at < numbers.length) {
    // Read one by one: a view of them would cost more than all the rest.
    const flags = numbers[at + 1] as number;
    const rows = numbers[at + 2] as number;
    const columns = numbers[at + 3] as number;
    const batch: WireBatch = { c: numbers[at] as number, t: [], v: [] };
    at += HEAD;
    batch.t = column(rows) as number[];
    for (let i = 0; i < columns; i += 1) batch.v.push(column(rows));
    if (flags & FLAGS.thin) batch.thin = true;
    if (flags & FLAGS.h) batch.h = true;
    if (flags & FLAGS.reset) batch.reset = true;
    batches.push(batch);
  }
  return batches;
}
