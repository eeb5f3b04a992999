import { join } from "node:path";
import type { Database } from "./database.ts";
import { type OnLostConnection, openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";

export { type Database, isUniqueViolation } from "./database.ts";
export { type Migration, migrate } from "./migrate.ts";

export type DatabaseOptions = {
  /** postgres://…; absent: a SQLite file in the home folder. */
  url: string | undefined;
  home: string;
  onLostConnection: OnLostConnection;
};

export function openDatabase<Schema>({ url, home, onLostConnection }: DatabaseOptions): Database<Schema> {
  return url === undefined ? openSqlite(join(home, "backplane.db")) : openPostgres(url, onLostConnection);
}
