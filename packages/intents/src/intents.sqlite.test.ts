import { isLongRun } from "../../../scripts/testing/long.ts";
import { testIntentLaws, testIntentRules } from "./laws.suite.ts";
import { SQLITE } from "./stages.suite.ts";

const [ONE, TWO] = SQLITE;
// What holds for two instances holds for one; the long run tries both.
testIntentLaws(isLongRun ? [ONE, TWO] : [TWO]);
testIntentRules(ONE);
