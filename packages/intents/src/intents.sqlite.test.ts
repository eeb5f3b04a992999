import { testIntentLaws, testIntentRules } from "./laws.suite.ts";
import { SQLITE } from "./stages.suite.ts";

testIntentLaws(SQLITE);
testIntentRules(SQLITE[0]);
