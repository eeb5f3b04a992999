import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@backplane/kit/database";
import type { AccountTables } from "../tables.ts";
import { testOwner } from "./owner.suite.ts";

testOwner("sqlite", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "owner-db-"));
  const database = await openDatabase<AccountTables>({ url: undefined, home, onLostConnection: () => {} });
  t.after(async () => {
    await database.close();
    rmSync(home, { recursive: true });
  });
  return database;
});
