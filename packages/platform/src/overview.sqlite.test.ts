import { openSqlite } from "./open-databases.suite.ts";
import { testOverview } from "./overview.suite.ts";
import { testSystem } from "./system.suite.ts";

testOverview("sqlite", openSqlite);
testSystem("sqlite", openSqlite);
