import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@backplane/kit/database";
import type { PanelsTables } from "../../tables.ts";
import { testSecret } from "./secret.suite.ts";

testSecret("sqlite", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "secret-"));
  const database = await openDatabase<PanelsTables>({ url: undefined, home, onLostConnection: () => {} });
  t.after(async () => {
    await database.close();
    rmSync(home, { recursive: true });
  });
  return async () => database;
});
