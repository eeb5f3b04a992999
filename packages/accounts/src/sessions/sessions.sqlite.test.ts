import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { testSessions } from "./sessions.suite.ts";

testSessions("sqlite", openFreshSqlite);
