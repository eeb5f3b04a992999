type InsertMany<Row> = (rows: readonly Row[]) => Promise<unknown>;

/** Rows of one statement; a text is made for each power of two up to it. */
const MAX_ROWS = 32;

/**
 * Writes the rows that come in one turn of the event loop by few statements: what a commit costs is then shared by all
 * of them. Each caller hears when its own row is written.
 */
export function batchInserts<Row>(prepareFor: (count: number) => InsertMany<Row>): (row: Row) => Promise<void> {
  const prepared = new Map<number, InsertMany<Row>>();
  let waiting: { row: Row; resolve: () => void; reject: (error: unknown) => void }[] = [];

  function insertOf(count: number): InsertMany<Row> {
    const known = prepared.get(count);
    if (known) return known;
    const insert = prepareFor(count);
    prepared.set(count, insert);
    return insert;
  }

  function flush(): void {
    const batch = waiting;
    waiting = [];
    for (let from = 0; from < batch.length; ) {
      const count = largestPowerOfTwo(Math.min(batch.length - from, MAX_ROWS));
      const part = batch.slice(from, from + count);
      from += count;
      insertOf(count)(part.map(({ row }) => row)).then(
        () => {
          for (const { resolve } of part) resolve();
        },
        (error) => {
          for (const { reject } of part) reject(error);
        },
      );
    }
  }

  return (row) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ row, resolve, reject });
    });
}

const largestPowerOfTwo = (upTo: number): number => 2 ** Math.floor(Math.log2(upTo));
