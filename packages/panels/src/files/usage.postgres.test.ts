import { POSTGRES } from "../workspaces/stages.suite.ts";
import { testUsage } from "./usage.suite.ts";

testUsage(POSTGRES);
