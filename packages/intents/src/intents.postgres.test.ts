import { isLongRun } from "../../../scripts/testing/long.ts";
import { testIntentLaws, testIntentRules } from "./laws.suite.ts";
import { POSTGRES } from "./stages.suite.ts";

testIntentLaws(POSTGRES);
if (isLongRun) testIntentRules(POSTGRES[0]);
