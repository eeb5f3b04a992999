import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@backplane/kit/database";
import type { RegistryTables } from "../tables.ts";
import type { OpenTestDatabase } from "./registry-under-test.suite.ts";

/** A new file, removed after the test. The process opens it once. */
export const openFreshSqlite: OpenTestDatabase = async (t) => {
  const home = mkdtempSync(join(tmpdir(), "registry-"));
  const database = await openDatabase<RegistryTables>({ url: undefined, home, onLostConnection: () => {} });
  t.after(async () => {
    await database.close();
    rmSync(home, { recursive: true });
  });
  return async () => database;
};
