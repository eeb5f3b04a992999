import { join } from "node:path";
import type { Database } from "./database.ts";
import type { OnLostConnection, PoolOptions } from "./postgres.ts";
import { openPostgresSnapshot, openSqliteSnapshot, type Snapshot } from "./snapshot.ts";

export { type BatchGuard, type BatchResults, type Database, isUniqueViolation } from "./database.ts";
export { type DatabaseFacts, readDatabaseFacts } from "./facts.ts";
export { insertWithin } from "./insert-within.ts";
export { type AppliedMigration, applyMigrations, isEmpty, type Migration, migrate } from "./migrate.ts";
export { type Prepared, prepare } from "./prepared.ts";
export { quoted, type RowBatch, type Snapshot, type SnapshotValue } from "./snapshot.ts";

/** The connections are those to PostgreSQL. */
export type DatabaseOptions = PoolOptions & {
  /** postgres://…; absent: a SQLite file in the home folder. */
  url: string | undefined;
  home: string;
  onLostConnection: OnLostConnection;
};

export const sqlitePath = (home: string): string => join(home, "backplane.db");

/** Why the SQLite file in the home folder must not be used; undefined if it is fine or not there yet. */
export const sqliteFaultIn = async (home: string): Promise<string | undefined> =>
  (await import("./sqlite-fault.ts")).sqliteFault(sqlitePath(home));

/** Only the engine that is used is loaded: the other one's client costs a tenth of a second at every start. */
export async function openDatabase<Schema>({
  url,
  home,
  connections,
  isStarting,
  onLostConnection,
}: DatabaseOptions): Promise<Database<Schema>> {
  if (url === undefined) {
    const { openSqlite } = await import("./sqlite.ts");
    return openSqlite(sqlitePath(home));
  }
  const { openPostgres } = await import("./postgres.ts");
  return openPostgres(url, onLostConnection, { connections, isStarting });
}

/** The tables as of now, for a backup. The database may be in use. */
export async function openSnapshot({ url, home }: Pick<DatabaseOptions, "url" | "home">): Promise<Snapshot> {
  return url === undefined ? openSqliteSnapshot(sqlitePath(home)) : openPostgresSnapshot(url);
}
