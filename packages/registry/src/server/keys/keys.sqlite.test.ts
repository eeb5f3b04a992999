import { SQLITE_TWO } from "../serving/stages.suite.ts";
import { testKeys } from "./keys.suite.ts";

testKeys(SQLITE_TWO);
