import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { testApiKeys } from "./api-keys.suite.ts";

testApiKeys("sqlite", openFreshSqlite);
