import { type Database, openDatabase } from "@backplane/kit/database";
import { createTestDatabase } from "../../../../../scripts/services/index.ts";
import type { PanelsTables } from "../../tables.ts";
import { testSecret } from "./secret.suite.ts";

testSecret("postgres", async (t) => {
  const fresh = await createTestDatabase();
  const opened: Database<PanelsTables>[] = [];
  t.after(async () => {
    for (const database of opened) await database.close();
    await fresh[Symbol.asyncDispose]();
  });
  return async () => {
    const database = await openDatabase<PanelsTables>({ url: fresh.url, home: "", onLostConnection: () => {} });
    opened.push(database);
    return database;
  };
});
