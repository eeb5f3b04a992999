import { openFreshPostgres } from "../callers/open-postgres.suite.ts";
import { testGuessing } from "./guessing.suite.ts";

// The engines fold letters differently.
testGuessing("postgres", openFreshPostgres);
