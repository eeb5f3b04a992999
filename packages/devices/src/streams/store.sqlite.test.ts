import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@backplane/kit/database";
import type { DevicesTables } from "../tables.ts";
import { testStreamStore } from "./store.suite.ts";

testStreamStore("sqlite", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "streams-"));
  const database = await openDatabase<DevicesTables>({ url: undefined, home, onLostConnection: () => {} });
  t.after(async () => {
    await database.close();
    rmSync(home, { recursive: true, force: true });
  });
  return database;
});
