import { openDatabase } from "@backplane/kit/database";
import { createTestDatabase } from "../../../../scripts/services/index.ts";
import type { AccountTables } from "../tables.ts";
import type { OpenTestDatabase } from "./site.suite.ts";

/** A fresh database, gone after the test. */
export const openFreshPostgres: OpenTestDatabase = async (t) => {
  const fresh = await createTestDatabase();
  const database = await openDatabase<AccountTables>({ url: fresh.url, home: "", onLostConnection: () => {} });
  t.after(async () => {
    await database.close();
    await fresh[Symbol.asyncDispose]();
  });
  return database;
};
