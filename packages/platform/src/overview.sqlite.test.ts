import { openSqlite } from "./open-databases.suite.ts";
import { testOverview } from "./overview.suite.ts";

testOverview("sqlite", openSqlite);
