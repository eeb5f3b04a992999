import { SQLITE } from "../workspaces/stages.suite.ts";
import { testUsage } from "./usage.suite.ts";

testUsage(SQLITE);
