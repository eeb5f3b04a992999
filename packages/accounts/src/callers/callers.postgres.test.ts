import { testCallers } from "./callers.suite.ts";
import { testLastingAccess } from "./lasting-access.suite.ts";
import { openFreshPostgres } from "./open-postgres.suite.ts";

for (const test of [testCallers, testLastingAccess]) test("postgres", openFreshPostgres);
