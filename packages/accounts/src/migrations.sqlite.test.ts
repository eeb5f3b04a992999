import { openFreshSqlite } from "./callers/open-sqlite.suite.ts";
import { testMigrations } from "./migrations.suite.ts";

testMigrations("sqlite", openFreshSqlite);
