import { POSTGRES_TWO } from "../serving/stages.suite.ts";
import { testKeys } from "./keys.suite.ts";

testKeys(POSTGRES_TWO);
