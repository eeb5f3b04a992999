import { openPostgres } from "./open-databases.suite.ts";
import { testOverview } from "./overview.suite.ts";
import { testHistory } from "./system/history.suite.ts";
import { testSystem } from "./system/system.suite.ts";

testOverview("postgres", openPostgres);
testSystem("postgres", openPostgres);
testHistory("postgres", openPostgres);
