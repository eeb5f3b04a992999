import { testIntentLaws } from "./laws.suite.ts";
import { POSTGRES } from "./stages.suite.ts";

testIntentLaws(POSTGRES);
