import { openFreshPostgres } from "../callers/open-postgres.suite.ts";
import { testOpenidLink } from "./link.suite.ts";
import { testOpenidSignIn } from "./openid.suite.ts";

testOpenidSignIn("postgres", openFreshPostgres);
testOpenidLink("postgres", openFreshPostgres);
