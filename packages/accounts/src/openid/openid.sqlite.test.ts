import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { testOpenidLink } from "./link.suite.ts";
import { testOpenidSignIn } from "./openid.suite.ts";

testOpenidSignIn("sqlite", openFreshSqlite);
testOpenidLink("sqlite", openFreshSqlite);
