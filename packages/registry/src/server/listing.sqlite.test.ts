import { testListing } from "./listing.suite.ts";
import { openFreshSqlite } from "./publishing/open-sqlite.suite.ts";

testListing("sqlite", openFreshSqlite);
