import { join } from "node:path";
import type { Database } from "./database.ts";
import type { OnLostConnection } from "./postgres.ts";

export { type Database, isUniqueViolation } from "./database.ts";
export { type Migration, migrate } from "./migrate.ts";
export { type Prepared, prepare } from "./prepared.ts";

export type DatabaseOptions = {
  /** postgres://…; absent: a SQLite file in the home folder. */
  url: string | undefined;
  home: string;
  onLostConnection: OnLostConnection;
};

/** Only the engine that is used is loaded: the other one's client costs a tenth of a second at every start. */
export async function openDatabase<Schema>({
  url,
  home,
  onLostConnection,
}: DatabaseOptions): Promise<Database<Schema>> {
  if (url === undefined) {
    const { openSqlite } = await import("./sqlite.ts");
    return openSqlite(join(home, "backplane.db"));
  }
  const { openPostgres } = await import("./postgres.ts");
  return openPostgres(url, onLostConnection);
}
