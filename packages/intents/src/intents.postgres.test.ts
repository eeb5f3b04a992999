import { testIntents } from "./laws.suite.ts";
import { POSTGRES } from "./stages.suite.ts";

testIntents(POSTGRES);
