import { testListing } from "./listing.suite.ts";
import { openFreshPostgres } from "./publishing/open-postgres.suite.ts";

testListing("postgres", openFreshPostgres);
