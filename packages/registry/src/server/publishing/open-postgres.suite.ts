import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { createTestDatabase } from "../../../../../scripts/services/index.ts";
import { migrations } from "../migrations.ts";
import type { RegistryTables } from "../tables.ts";
import type { OpenTestDatabase } from "./registry-under-test.suite.ts";

/** The tables of this package. */
export async function migrateRegistry(url: string): Promise<void> {
  const database = await openDatabase<unknown>({ url, home: "", onLostConnection: () => {} });
  await migrate(database, migrations, () => 1);
  await database.close();
}

/** A new database, removed after the test. */
export const openFreshPostgres: OpenTestDatabase = async (t) => {
  const fresh = await createTestDatabase({ prepare: migrateRegistry });
  const opened: Database<RegistryTables>[] = [];
  t.after(async () => {
    for (const database of opened) await database.close();
    await fresh[Symbol.asyncDispose]();
  });
  return async () => {
    const database = await openDatabase<RegistryTables>({ url: fresh.url, home: "", onLostConnection: () => {} });
    opened.push(database);
    return database;
  };
};
