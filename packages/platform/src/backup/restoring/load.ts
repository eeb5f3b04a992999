import { type AppliedMigration, applyMigrations, type Database, quoted } from "@backplane/kit/database";
import { sql, type Transaction } from "kysely";
import { allMigrations } from "../../all-migrations.ts";
import type { TableSummary } from "../format/layout.ts";
import { RowsDigest, rowLine, type Value } from "../format/rows.ts";

/** Some rows of a table. */
export type LoadedRows = { table: string; columns: readonly string[]; rows: readonly Value[][] };

/** Values of one statement: engines limit them. */
const MAX_VALUES = 5_000;

/**
 * Fills an empty database in one transaction: it gets everything or stays empty. `check` runs before the commit and throws
 * when something is missing.
 */
export async function loadTables(
  database: Database<unknown>,
  migrations: readonly AppliedMigration[],
  batches: AsyncIterable<LoadedRows>,
  check: (transaction: Transaction<unknown>) => Promise<void>,
): Promise<void> {
  await database.durable.transaction().execute(async (transaction) => {
    await applyMigrations(transaction, database.engine, allMigrations, migrations);
    const emptied = new Set<string>();
    const counted = await countedColumns(database, transaction);
    for await (const { table, columns, rows } of batches) {
      // Migrations may have inserted a first row.
      if (!emptied.has(table)) await sql.raw(`delete from ${quoted(table)}`).execute(transaction);
      emptied.add(table);
      await insertRows(transaction, { table, columns, rows });
    }
    for (const { table, column } of counted) await setCounter(transaction, table, column);
    await check(transaction);
  });
}

async function insertRows(transaction: Transaction<unknown>, { table, columns, rows }: LoadedRows): Promise<void> {
  const perStatement = Math.max(1, Math.floor(MAX_VALUES / columns.length));
  const names = sql.join(columns.map((name) => sql.ref(name)));
  for (let at = 0; at < rows.length; at += perStatement) {
    const values = rows.slice(at, at + perStatement).map((row) => sql`(${sql.join(row)})`);
    await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(transaction);
  }
}

/** Columns that PostgreSQL counts by a sequence; SQLite goes on after the greatest one by itself. */
async function countedColumns(database: Database<unknown>, transaction: Transaction<unknown>) {
  if (database.engine === "sqlite") return [];
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema() and column_default like 'nextval(%'`.execute(transaction);
  return rows;
}

const setCounter = (transaction: Transaction<unknown>, table: string, column: string) =>
  sql`select setval(pg_get_serial_sequence(${table}, ${column}), coalesce((select max(${sql.ref(column)}) from ${sql.table(table)}), 0) + 1, false)`.execute(
    transaction,
  );

/** Count and digest of a table, inside the transaction that wrote it. */
export async function digestTable(
  { engine }: Database<unknown>,
  transaction: Transaction<unknown>,
  table: string,
  columns: readonly string[],
): Promise<TableSummary> {
  const digest = new RowsDigest();
  for await (const rows of readTable(engine, transaction, table)) {
    for (const row of rows) digest.add(rowLine(columns.map((name) => (row[name] ?? null) as Value)));
  }
  return { rows: digest.rows, sha256: digest.sha256 };
}

const FETCHED_ROWS = 100;

async function* readTable(engine: "sqlite" | "postgres", transaction: Transaction<unknown>, table: string) {
  const all = sql<Record<string, unknown>>`select * from ${sql.table(table)}`;
  if (engine === "sqlite") {
    const columns = all.compile(transaction);
    for await (const row of transaction.getExecutor().stream<Record<string, unknown>>(columns, 1)) yield row.rows;
    return;
  }
  await sql`declare loaded no scroll cursor for ${all}`.execute(transaction);
  for (;;) {
    const { rows } = await sql.raw<Record<string, unknown>>(`fetch ${FETCHED_ROWS} from loaded`).execute(transaction);
    yield rows;
    if (rows.length < FETCHED_ROWS) break;
  }
  await sql`close loaded`.execute(transaction);
}
