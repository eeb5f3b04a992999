import { openDatabase } from "@backplane/kit/database";
import { createTestDatabase } from "../../../../scripts/services/index.ts";
import type { DevicesTables } from "../tables.ts";
import { testStreamStore } from "./store.suite.ts";

testStreamStore("postgres", async (t) => {
  const fresh = await createTestDatabase();
  const database = await openDatabase<DevicesTables>({ url: fresh.url, home: "", onLostConnection: () => {} });
  t.after(async () => {
    await database.close();
    await fresh[Symbol.asyncDispose]();
  });
  return database;
});
