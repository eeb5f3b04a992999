import { testCallers } from "./callers.suite.ts";
import { openFreshSqlite } from "./open-sqlite.suite.ts";

testCallers("sqlite", openFreshSqlite);
