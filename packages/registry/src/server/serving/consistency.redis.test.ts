import { testConsistency } from "./consistency.suite.ts";
import { REDIS_TWO } from "./stages.suite.ts";

testConsistency(REDIS_TWO);
