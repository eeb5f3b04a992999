import { testConsistency } from "./consistency.suite.ts";
import { SQLITE } from "./stages.suite.ts";

testConsistency(SQLITE);
