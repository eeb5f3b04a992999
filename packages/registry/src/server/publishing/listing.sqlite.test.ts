import { testListing } from "./listing.suite.ts";
import { openFreshSqlite } from "./open-sqlite.suite.ts";

testListing("sqlite", openFreshSqlite);
