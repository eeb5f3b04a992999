import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { migrate, openDatabase } from "@backplane/kit/database";
import { allMigrations } from "../all-migrations.ts";
import { ALL_TABLES } from "./tables.ts";

test("every table is either in a backup or left out for a reason", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "backup-tables-"));
  t.after(() => rmSync(home, { recursive: true }));
  const database = await openDatabase<unknown>({ url: undefined, home, onLostConnection: () => {} });
  t.after(() => database.close());
  await migrate(database, allMigrations, () => 1);
  const there = (await database.durable.introspection.getTables()).map(({ name }) => name);
  assert.deepEqual([...ALL_TABLES, "migrations"].sort(), there.sort(), "decide about it in backup/tables.ts");
});
