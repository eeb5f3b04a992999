import { openFreshPostgres } from "../callers/open-postgres.suite.ts";
import { testPasskeys } from "./passkeys.suite.ts";
import { testPasskeySignIn } from "./sign-in.suite.ts";

testPasskeys("postgres", openFreshPostgres);
testPasskeySignIn("postgres", openFreshPostgres);
