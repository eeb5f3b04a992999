import { testKeys } from "./keys.suite.ts";
import { openSqlite } from "./mqtt-under-test.suite.ts";

testKeys("sqlite", openSqlite);
