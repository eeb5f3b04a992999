import { openFreshPostgres } from "../callers/open-postgres.suite.ts";
import { testSignIn } from "./sign-in.suite.ts";

testSignIn("postgres", openFreshPostgres);
