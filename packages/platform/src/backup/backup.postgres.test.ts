import { createTestDatabase } from "../../../../scripts/services/index.ts";
import { testBackups } from "./backup.suite.ts";
import type { OpenEngine } from "./installation.suite.ts";

const sqlite: OpenEngine = async () => ({});
const postgres: OpenEngine = async (t) => {
  const database = await createTestDatabase();
  t.after(() => database[Symbol.asyncDispose]());
  return { DATABASE_URL: database.url };
};

testBackups("sqlite to postgres", sqlite, postgres);
testBackups("postgres to sqlite", postgres, sqlite);
