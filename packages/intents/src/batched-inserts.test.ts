import assert from "node:assert/strict";
import { test } from "node:test";
import { batchInserts } from "./store.ts";

/** Statements that remember what they wrote, by the number of rows they were prepared for. */
function openTable(fails: (rows: readonly number[]) => boolean = () => false) {
  const statements: number[][] = [];
  const prepared: number[] = [];
  const insert = batchInserts<number>((count) => {
    prepared.push(count);
    return async (rows) => {
      assert.equal(rows.length, count);
      if (fails(rows)) throw new Error("disk full");
      statements.push([...rows]);
    };
  });
  return { insert, statements, prepared };
}

test("rows of one turn are written together, in order, and each SQL text is made once", async () => {
  const { insert, statements, prepared } = openTable();
  await Promise.all(Array.from({ length: 45 }, (_, row) => insert(row)));
  assert.deepEqual(
    statements.map(({ length }) => length),
    [32, 8, 4, 1],
  );
  assert.deepEqual(
    statements.flat(),
    Array.from({ length: 45 }, (_, row) => row),
  );
  await insert(99);
  assert.deepEqual(prepared, [32, 8, 4, 1]);
});

test("a failure is reported to the callers whose rows failed, and to nobody else", async () => {
  const { insert } = openTable((rows) => rows.includes(2));
  const outcomes = await Promise.allSettled([0, 1, 2, 3, 4].map(insert));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected", "rejected", "rejected", "fulfilled"],
  );
});
