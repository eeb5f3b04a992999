import { POSTGRES } from "../workspaces/stages.suite.ts";
import { testPackages } from "./packages.suite.ts";

testPackages(POSTGRES);
