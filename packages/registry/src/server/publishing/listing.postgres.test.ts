import { testListing } from "./listing.suite.ts";
import { openFreshPostgres } from "./open-postgres.suite.ts";

testListing("postgres", openFreshPostgres);
