import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";
import type { OpenTestDatabase } from "./site.suite.ts";

/** A fresh file, gone after the test. */
export const openFreshSqlite: OpenTestDatabase = async (t) => {
  const home = mkdtempSync(join(tmpdir(), "sessions-"));
  const database = await openDatabase<AccountTables>({ url: undefined, home, onLostConnection: () => {} });
  t.after(async () => {
    await database.close();
    rmSync(home, { recursive: true });
  });
  return database;
};
