import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenBus, openBus } from "@backplane/kit/bus";
import { type Database, migrate, openDatabase } from "@backplane/kit/database";
import { createTestDatabase, testRedisUrl, uniquePrefix } from "../../../../scripts/services/index.ts";
import { migrations } from "../migrations.ts";
import type { PanelsTables } from "../tables.ts";

/** What differs between runs of the suites: two instances, always. */
export type Stage = {
  name: string;
  /** A fresh, empty database, open once for each instance. */
  prepare(): Promise<{ open(): Promise<Database<PanelsTables>>; discard(): Promise<void> }>;
  /** Absent: one bus within this process. */
  openBus?: () => Promise<() => Promise<OpenBus>>;
};

/** One process has a file open once; its two instances share that. */
async function prepareSqlite() {
  const home = mkdtempSync(join(tmpdir(), "workspaces-db-"));
  const database = await openDatabase<PanelsTables>({ url: undefined, home, onLostConnection: () => {} });
  const discard = async () => {
    await database.close();
    rmSync(home, { recursive: true });
  };
  return { open: async () => database, discard };
}

/** The tables of this package. */
export async function migratePanels(url: string): Promise<void> {
  const database = await openDatabase<unknown>({ url, home: "", onLostConnection: () => {} });
  await migrate(database, migrations, () => 1);
  await database.close();
}

async function preparePostgres() {
  const fresh = await createTestDatabase({ prepare: migratePanels });
  const opened: Database<PanelsTables>[] = [];
  return {
    async open() {
      const database = await openDatabase<PanelsTables>({ url: fresh.url, home: "", onLostConnection: () => {} });
      opened.push(database);
      return database;
    },
    async discard() {
      for (const database of opened) await database.close();
      await fresh[Symbol.asyncDispose]();
    },
  };
}

async function overRedis() {
  const url = await testRedisUrl();
  const prefix = uniquePrefix();
  return () => openBus({ url, prefix, now: Date.now, onFault: () => {} });
}

export const SQLITE: Stage = { name: "sqlite", prepare: prepareSqlite };
export const POSTGRES: Stage = { name: "postgres", prepare: preparePostgres };
export const REDIS: Stage = { name: "sqlite over Redis", prepare: prepareSqlite, openBus: overRedis };
