import { openSqlite } from "./open-databases.suite.ts";
import { testOverview } from "./overview.suite.ts";
import { testHistory } from "./system/history.suite.ts";
import { testSystem } from "./system/system.suite.ts";

testOverview("sqlite", openSqlite);
testSystem("sqlite", openSqlite);
testHistory("sqlite", openSqlite);
