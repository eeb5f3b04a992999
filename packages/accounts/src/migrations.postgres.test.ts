import { openEmptyPostgres } from "./callers/open-postgres.suite.ts";
import { testMigrations } from "./migrations.suite.ts";

testMigrations("postgres", openEmptyPostgres);
