import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { testSignIn } from "./sign-in.suite.ts";

testSignIn("sqlite", openFreshSqlite);
