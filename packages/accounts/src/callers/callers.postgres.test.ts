import { testCallers } from "./callers.suite.ts";
import { openFreshPostgres } from "./open-postgres.suite.ts";

testCallers("postgres", openFreshPostgres);
