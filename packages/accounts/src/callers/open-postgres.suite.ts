import { migrate, openDatabase } from "@backplane/kit/database";
import { createTestDatabase } from "../../../../scripts/services/index.ts";
import { migrations } from "../migrations.ts";
import type { AccountTables } from "../tables.ts";
import type { OpenTestDatabase } from "./site.suite.ts";

/** The tables of this package. */
async function migrateAccounts(url: string): Promise<void> {
  const database = await openDatabase<unknown>({ url, home: "", onLostConnection: () => {} });
  await migrate(database, migrations, () => 1);
  await database.close();
}

const openerOf =
  (options: { prepare?: (url: string) => Promise<void> }): OpenTestDatabase =>
  async (t) => {
    const fresh = await createTestDatabase(options);
    const database = await openDatabase<AccountTables>({ url: fresh.url, home: "", onLostConnection: () => {} });
    t.after(async () => {
      await database.close();
      await fresh[Symbol.asyncDispose]();
    });
    return database;
  };

/** A fresh database with the tables, gone after the test. */
export const openFreshPostgres = openerOf({ prepare: migrateAccounts });
/** The same without the tables. */
export const openEmptyPostgres = openerOf({});
