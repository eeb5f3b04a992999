import assert from "node:assert/strict";
import pg from "pg";

export type Column = {
  table_name: string;
  column_name: string;
  data_type: string;
  is_nullable: string;
  has_default: boolean;
};
export type Schema = { migrations: readonly string[]; columns: readonly Column[] };

export async function readSchema(databaseUrl: string): Promise<Schema> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows: migrations } = await client.query<{ name: string }>("select name from migrations order by name");
    const { rows: columns } = await client.query<Column>(
      `select table_name, column_name, data_type, is_nullable, column_default is not null as has_default
       from information_schema.columns where table_schema = 'public'`,
    );
    return { migrations: migrations.map(({ name }) => name), columns };
  } finally {
    await client.end();
  }
}

/**
 * Old processes work on the new tables until the last one is replaced. So a release only adds: what they read is there with
 * its type, and what they do not write may be left out. What is no longer needed is removed by the release after it.
 */
export function checkOnlyAdded(before: Schema, after: Schema): void {
  const nameOf = ({ table_name, column_name }: Column) => `${table_name}.${column_name}`;
  const now = new Map(after.columns.map((column) => [nameOf(column), column]));
  const tables = new Set(before.columns.map(({ table_name }) => table_name));
  for (const column of before.columns) {
    const kept = now.get(nameOf(column));
    assert.ok(kept, `${nameOf(column)} was removed: old processes still use it`);
    assert.equal(
      kept.data_type,
      column.data_type,
      `${nameOf(column)} has another type: old processes write the old one`,
    );
    assert.ok(!isNeeded(kept) || isNeeded(column), `${nameOf(column)} is needed now: old processes may leave it out`);
    now.delete(nameOf(column));
  }
  for (const column of now.values()) {
    const isLeftOut = tables.has(column.table_name) && isNeeded(column);
    assert.ok(!isLeftOut, `${nameOf(column)} is new and needed: old processes leave it out. Give it a default`);
  }
}

const isNeeded = ({ is_nullable, has_default }: Column): boolean => is_nullable === "NO" && !has_default;
