import { testIndexFiles } from "./index-files.suite.ts";
import { testKeptIndex } from "./kept-index.suite.ts";
import { testOperators } from "./operators.suite.ts";
import { testPackages } from "./packages.suite.ts";
import { SQLITE } from "./stages.suite.ts";

testIndexFiles(SQLITE);
testPackages(SQLITE);
testKeptIndex(SQLITE);
testOperators(SQLITE);
