import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { testPasskeys } from "./passkeys.suite.ts";
import { testPasskeySignIn } from "./sign-in.suite.ts";

testPasskeys("sqlite", openFreshSqlite);
testPasskeySignIn("sqlite", openFreshSqlite);
