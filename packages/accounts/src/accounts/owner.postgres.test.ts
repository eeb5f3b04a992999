import { openFreshPostgres } from "../callers/open-postgres.suite.ts";
import { testOwner } from "./owner.suite.ts";

testOwner("postgres", openFreshPostgres);
