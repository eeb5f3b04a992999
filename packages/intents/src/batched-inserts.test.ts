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
    [32, 13],
  );
  assert.deepEqual(
    statements.flat(),
    Array.from({ length: 45 }, (_, row) => row),
  );
  await insert(99);
  await insert(100);
  assert.deepEqual(prepared, [32, 13, 1]);
});

test("a failure is reported to the callers whose rows failed, and to nobody else", async () => {
  const { insert } = openTable((rows) => rows.includes(2));
  const outcomes = await Promise.allSettled(Array.from({ length: 33 }, (_, row) => insert(row)));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    [...Array.from({ length: 32 }, () => "rejected"), "fulfilled"],
  );
});
