import { openFreshPostgres } from "../callers/open-postgres.suite.ts";
import { testSessions } from "./sessions.suite.ts";

testSessions("postgres", openFreshPostgres);
