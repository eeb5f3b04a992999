import { isLongRun } from "../../../../../scripts/testing/long.ts";
import { testConsistency } from "./consistency.suite.ts";
import { testIndexFiles } from "./index-files.suite.ts";
import { testKeptIndex } from "./kept-index.suite.ts";
import { testOperators } from "./operators.suite.ts";
import { testPackages } from "./packages.suite.ts";
import { POSTGRES, POSTGRES_TWO } from "./stages.suite.ts";
import { testStaticFiles } from "./static-files.suite.ts";

testIndexFiles(POSTGRES_TWO);
testPackages(POSTGRES);
testKeptIndex(POSTGRES);
testOperators(POSTGRES_TWO);
testStaticFiles(POSTGRES);
// consistency.redis.test.ts has the same laws on PostgreSQL with two instances.
if (isLongRun) testConsistency(POSTGRES);
