import { testCallers } from "./callers.suite.ts";
import { testLastingAccess } from "./lasting-access.suite.ts";
import { openFreshSqlite } from "./open-sqlite.suite.ts";

for (const test of [testCallers, testLastingAccess]) test("sqlite", openFreshSqlite);
