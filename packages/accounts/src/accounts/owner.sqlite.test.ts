import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { testOwner } from "./owner.suite.ts";

testOwner("sqlite", openFreshSqlite);
