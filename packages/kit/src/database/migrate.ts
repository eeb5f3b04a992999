import { type Kysely, sql, type Transaction } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database, Engine } from "./database.ts";

export type Migration = {
  /** Unique forever, such as `intents-0001-accounts`. */
  name: string;
  up(transaction: Transaction<unknown>, engine: Engine): Promise<void>;
};

/** When several instances start at once, PostgreSQL gives this lock to one of them at a time. */
const MIGRATION_LOCK = 0x6270_6d67;

/**
 * Brings the tables up to date, forwards only. All missing migrations run in one transaction under one lock: once even when
 * several instances start together, and not at all when one of them fails. Returns the names of those that ran.
 */
export async function migrate(
  database: Database<unknown>,
  migrations: readonly Migration[],
  now: Clock,
): Promise<readonly string[]> {
  return database.durable.transaction().execute(async (transaction) => {
    if (database.engine === "postgres") await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
    const applied = await appliedNames(transaction);
    refuseNewer(applied, migrations);
    const missing = migrations.filter(({ name }) => !applied.has(name));
    for (const { name, up } of missing) {
      await up(transaction, database.engine);
      await sql`insert into migrations (name, applied_at_ms) values (${name}, ${now()})`.execute(transaction);
    }
    return missing.map(({ name }) => name);
  });
}

/** Whether it was never migrated. */
export async function isEmpty({ durable }: Database<unknown>): Promise<boolean> {
  const tables = await durable.introspection.getTables();
  return tables.every(({ name }) => name !== "migrations");
}

async function appliedNames(db: Kysely<unknown>): Promise<ReadonlySet<string>> {
  await db.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("applied_at_ms", "bigint", (column) => column.notNull())
    .execute();
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(db);
  return new Set(rows.map((row) => row.name));
}

/** An older program would misread newer tables. */
function refuseNewer(applied: ReadonlySet<string>, known: readonly Migration[]): void {
  const names = new Set(known.map(({ name }) => name));
  const unknown = [...applied].find((name) => !names.has(name));
  if (unknown !== undefined) {
    throw new Error(
      `The database was set up by a newer Backplane (${unknown}). Start that version, or another database.`,
    );
  }
}
