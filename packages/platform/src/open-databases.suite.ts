import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type AccountTables, migrations as accountsMigrations } from "@backplane/accounts";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { migrations as instancesMigrations } from "@backplane/kit/instances";
import { createTestDatabase } from "../../../scripts/services/index.ts";
import { migrations } from "./migrations.ts";
import type { PlatformTables } from "./tables.ts";

export type TestDatabase = Database<AccountTables & PlatformTables>;
/** Each call of what it returns is a connection of another instance to the same tables. */
export type OpenTestDatabase = (t: TestContext) => Promise<() => Promise<TestDatabase>>;

async function openMigrated(at: { url: string | undefined; home: string }): Promise<TestDatabase> {
  const database = await openDatabase<AccountTables & PlatformTables>({ ...at, onLostConnection: () => {} });
  await migrate(database as Database<unknown>, [...accountsMigrations, ...instancesMigrations, ...migrations], () => 1);
  return database;
}

/** One process on SQLite has one connection. */
export const openSqlite: OpenTestDatabase = async (t) => {
  const home = mkdtempSync(join(tmpdir(), "platform-"));
  const database = await openMigrated({ url: undefined, home });
  t.after(async () => {
    await database.close();
    rmSync(home, { recursive: true });
  });
  return async () => database;
};

export const openPostgres: OpenTestDatabase = async (t) => {
  const opened = new AsyncDisposableStack();
  t.after(() => opened.disposeAsync());
  const { url } = opened.use(await createTestDatabase());
  return async () => {
    const database = await openMigrated({ url, home: "" });
    opened.defer(() => database.close());
    return database;
  };
};
