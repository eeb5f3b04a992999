import { testIntentLaws } from "./laws.suite.ts";
import { REDIS } from "./stages.suite.ts";

testIntentLaws(REDIS);
