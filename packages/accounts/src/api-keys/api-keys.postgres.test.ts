import { openFreshPostgres } from "../callers/open-postgres.suite.ts";
import { testApiKeys } from "./api-keys.suite.ts";

testApiKeys("postgres", openFreshPostgres);
