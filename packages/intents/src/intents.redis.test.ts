import { testIntents } from "./laws.suite.ts";
import { REDIS } from "./stages.suite.ts";

testIntents(REDIS);
