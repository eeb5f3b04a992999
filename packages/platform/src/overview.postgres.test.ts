import { openPostgres } from "./open-databases.suite.ts";
import { testOverview } from "./overview.suite.ts";
import { testSystem } from "./system.suite.ts";

testOverview("postgres", openPostgres);
testSystem("postgres", openPostgres);
