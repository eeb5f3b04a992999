import { testConsistency } from "./consistency.suite.ts";
import { testIndexFiles } from "./index-files.suite.ts";
import { testOperators } from "./operators.suite.ts";
import { testPackages } from "./packages.suite.ts";
import { POSTGRES, POSTGRES_TWO } from "./stages.suite.ts";

testIndexFiles(POSTGRES_TWO);
testPackages(POSTGRES);
testOperators(POSTGRES_TWO);
testConsistency(POSTGRES);
