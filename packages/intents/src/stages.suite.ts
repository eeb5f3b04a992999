import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AccountTables, migrations } from "@backplane/accounts";
import { openBus } from "@backplane/kit/bus";
import { migrate, openDatabase } from "@backplane/kit/database";
import { createTestDatabase, testRedisUrl, uniquePrefix } from "../../../scripts/services/index.ts";
import { isLongRun } from "../../../scripts/testing/long.ts";
import type { Stage } from "./intents-under-test.suite.ts";
import type { IntentTables } from "./store.ts";

async function prepareSqlite() {
  const home = mkdtempSync(join(tmpdir(), "intents-"));
  return {
    open: () => openDatabase<AccountTables & IntentTables>({ url: undefined, home, onLostConnection: () => {} }),
    discard: async () => rmSync(home, { recursive: true }),
  };
}

async function migrateAccounts(url: string): Promise<void> {
  const database = await openDatabase<unknown>({ url, home: "", onLostConnection: () => {} });
  await migrate(database, migrations, () => 1);
  await database.close();
}

async function preparePostgres() {
  const fresh = await createTestDatabase({ prepare: migrateAccounts });
  return {
    open: () => openDatabase<AccountTables & IntentTables>({ url: fresh.url, home: "", onLostConnection: () => {} }),
    discard: () => fresh[Symbol.asyncDispose](),
  };
}

const longRunOnly = (stage: Stage): Stage[] => (isLongRun ? [stage] : []);

async function overRedis() {
  const url = await testRedisUrl();
  const prefix = uniquePrefix();
  return () => openBus({ url, prefix, now: Date.now, onFault: () => {} });
}

export const SQLITE: readonly [Stage, Stage] = [
  { name: "sqlite", prepare: prepareSqlite, instances: 1 },
  { name: "sqlite, two instances", prepare: prepareSqlite, instances: 2 },
];

export const POSTGRES: readonly [Stage, ...Stage[]] = [
  { name: "postgres", prepare: preparePostgres, instances: 1 },
  // Nobody runs it so: two instances need Redis.
  ...longRunOnly({ name: "postgres, two instances", prepare: preparePostgres, instances: 2 }),
];

export const REDIS: readonly Stage[] = [
  { name: "postgres, two instances over Redis", prepare: preparePostgres, instances: 2, openBus: overRedis },
  // Nor so: two instances need PostgreSQL.
  ...longRunOnly({
    ...{ name: "sqlite, two instances over Redis", prepare: prepareSqlite, instances: 2, openBus: overRedis },
  }),
];
