import { type Kysely, sql, type Transaction } from "kysely";
import type { Clock } from "../clock.ts";
import { VERSION } from "../version.ts";
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
    const applied = await readApplied(transaction, database.engine);
    refuseNewer(applied, migrations);
    const missing = migrations.filter(({ name }) => !applied.has(name));
    for (const { name, up } of missing) {
      await up(transaction, database.engine);
      await sql`insert into migrations (name, applied_at_ms, version) values (${name}, ${now()}, ${VERSION})`.execute(
        transaction,
      );
    }
    return missing.map(({ name }) => name);
  });
}

export type AppliedMigration = { name: string; applied_at_ms: number; version?: string | null };

/**
 * In an empty database: runs exactly the named migrations, in the order of `known`, so that rows from elsewhere fit. The next
 * start runs those that are missing. Throws when one is not known.
 */
export async function applyMigrations(
  transaction: Transaction<unknown>,
  engine: Engine,
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): Promise<void> {
  const byName = new Map(applied.map((migration) => [migration.name, migration]));
  refuseNewer(new Map(applied.map(({ name, version }) => [name, version ?? null])), known);
  await readApplied(transaction, engine);
  for (const { name, up } of known) {
    const { applied_at_ms: appliedAtMs, version = null } = byName.get(name) ?? {};
    if (appliedAtMs === undefined) continue;
    await up(transaction, engine);
    await sql`insert into migrations (name, applied_at_ms, version) values (${name}, ${appliedAtMs}, ${version})`.execute(
      transaction,
    );
  }
}

/** Whether it was never migrated. */
export async function isEmpty({ durable }: Database<unknown>): Promise<boolean> {
  const tables = await durable.introspection.getTables();
  return tables.every(({ name }) => name !== "migrations");
}

/** Name → the version of Backplane that ran it; null before 0.2.0, which was the first to note it. */
type Applied = ReadonlyMap<string, string | null>;

async function readApplied(db: Kysely<unknown>, engine: Engine): Promise<Applied> {
  await db.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("applied_at_ms", "bigint", (column) => column.notNull())
    .addColumn("version", "text")
    .execute();
  await addVersionColumn(db, engine);
  const { rows } = await sql<{ name: string; version: string | null }>`select name, version from migrations`.execute(
    db,
  );
  return new Map(rows.map(({ name, version }) => [name, version]));
}

/** To a table of 0.1.0, which goes on working with it. Altered only once: that waits for everybody who reads the table. */
async function addVersionColumn(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const columns =
    engine === "sqlite"
      ? sql<{ name: string }>`select name from pragma_table_info('migrations')`
      : sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = 'migrations'`;
  const { rows } = await columns.execute(db);
  if (rows.some(({ name }) => name === "version")) return;
  await sql`alter table migrations add column version text`.execute(db);
}

/** An older program would misread newer tables. */
function refuseNewer(applied: Applied, known: readonly Migration[]): void {
  const names = new Set(known.map(({ name }) => name));
  const unknown = [...applied.keys()].find((name) => !names.has(name));
  if (unknown === undefined) return;
  const writer = applied.get(unknown);
  throw new Error(
    `The database was set up by ${writer ? `Backplane ${writer}` : "a newer Backplane"} (${unknown}), and this is ${VERSION}, which does not know its tables. Nothing was changed. Start that version again; or, to go back, restore the backup from before the update.`,
  );
}
