import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { testGuessing } from "./guessing.suite.ts";
import { testSignIn } from "./sign-in.suite.ts";

for (const test of [testSignIn, testGuessing]) test("sqlite", openFreshSqlite);
