import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBus } from "@backplane/kit/bus";
import { openDatabase } from "@backplane/kit/database";
import { createTestDatabase, testRedisUrl, uniquePrefix } from "../../../../../scripts/services/index.ts";
import { migrateRegistry } from "../publishing/open-postgres.suite.ts";
import type { RegistryTables } from "../tables.ts";
import type { Stage } from "./registry-under-test.suite.ts";

async function prepareSqlite() {
  const home = mkdtempSync(join(tmpdir(), "registry-db-"));
  return {
    open: () => openDatabase<RegistryTables>({ url: undefined, home, onLostConnection: () => {} }),
    discard: async () => rmSync(home, { recursive: true }),
  };
}

async function preparePostgres() {
  const fresh = await createTestDatabase({ prepare: migrateRegistry });
  return {
    open: () => openDatabase<RegistryTables>({ url: fresh.url, home: "", onLostConnection: () => {} }),
    discard: () => fresh[Symbol.asyncDispose](),
  };
}

async function overRedis() {
  const url = await testRedisUrl();
  const prefix = uniquePrefix();
  return () => openBus({ url, prefix, now: Date.now, onFault: () => {} });
}

export const SQLITE: Stage = { name: "sqlite", prepare: prepareSqlite, instances: 1 };
export const SQLITE_TWO: Stage = { name: "sqlite, two instances", prepare: prepareSqlite, instances: 2 };
export const POSTGRES: Stage = { name: "postgres", prepare: preparePostgres, instances: 1 };
export const POSTGRES_TWO: Stage = { name: "postgres, two instances", prepare: preparePostgres, instances: 2 };
export const REDIS_TWO: Stage = {
  ...{ name: "postgres, two instances over Redis", prepare: preparePostgres, instances: 2 },
  openBus: overRedis,
};
