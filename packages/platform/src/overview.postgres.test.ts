import { openPostgres } from "./open-databases.suite.ts";
import { testOverview } from "./overview.suite.ts";

testOverview("postgres", openPostgres);
