import { openDatabase } from "@backplane/kit/database";
import { createTestDatabase } from "../../../../scripts/services/index.ts";
import type { DevicesTables } from "../tables.ts";
import { testKeys } from "./keys.suite.ts";
import { createKeysTable } from "./mqtt-under-test.suite.ts";

testKeys("postgres", async (t) => {
  const fresh = await createTestDatabase();
  const database = await openDatabase<DevicesTables>({ url: fresh.url, home: "", onLostConnection: () => {} });
  await createKeysTable(database);
  t.after(async () => {
    await database.close();
    await fresh[Symbol.asyncDispose]();
  });
  return database;
});
