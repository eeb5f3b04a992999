import type { Engine } from "./database.ts";

/** The values that both engines have. */
export type SnapshotValue = number | string | Uint8Array | null;

/** Some rows of a table, in no particular order. */
export type RowBatch = { columns: readonly string[]; rows: SnapshotValue[][] };

/**
 * All tables as of one moment. What others write afterwards is not seen, and they do not wait. Only for programs that do
 * nothing else meanwhile: reading SQLite blocks the process.
 */
export type Snapshot = AsyncDisposable & {
  readonly engine: Engine;
  /** The names of all tables. */
  tables(): Promise<string[]>;
  /** A table without rows gives one batch without rows. */
  read(table: string): AsyncIterable<RowBatch>;
};

/** Rows that are in memory at the same time. */
const BATCH_ROWS = 100;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A connection of its own with a read transaction: in WAL mode it sees one state, and writers go on. */
export async function openSqliteSnapshot(path: string): Promise<Snapshot> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    // The transaction gets its snapshot with the first read.
    database.exec("begin; select count(*) from sqlite_schema;");
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    engine: "sqlite",
    async tables() {
      const names = database.prepare(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
      );
      return names.all().map(({ name }) => String(name));
    },
    async *read(table) {
      const statement = database.prepare(`select * from ${quoted(table)}`);
      const columns = statement.columns().map(({ name }) => name);
      statement.setReturnArrays(true);
      let rows: SnapshotValue[][] = [];
      for (const row of statement.iterate()) {
        rows.push(row as unknown as SnapshotValue[]);
        if (rows.length < BATCH_ROWS) continue;
        yield { columns, rows };
        rows = [];
      }
      yield { columns, rows };
    },
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}

/** A transaction that sees the state of its first query, read through cursors. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const { connectAlone } = await import("./postgres.ts");
  const client = await connectAlone(url);
  try {
    await client.query("begin isolation level repeatable read, read only");
    await client.query("select 1");
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    engine: "postgres",
    async tables() {
      const { rows } = await client.query(
        "select table_name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'",
      );
      return rows.map(([name]) => String(name));
    },
    async *read(table) {
      await client.query(`declare rows no scroll cursor for select * from ${quoted(table)}`);
      for (let isDone = false; !isDone; ) {
        const { columns, rows } = await client.query(`fetch ${BATCH_ROWS} from rows`);
        isDone = rows.length < BATCH_ROWS;
        yield { columns, rows: rows as SnapshotValue[][] };
      }
      await client.query("close rows");
    },
    async [Symbol.asyncDispose]() {
      await client.end();
    },
  };
}
