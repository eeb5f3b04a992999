import { testIntents } from "./laws.suite.ts";
import { SQLITE } from "./stages.suite.ts";

testIntents(SQLITE);
