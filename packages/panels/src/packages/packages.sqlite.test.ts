import { SQLITE } from "../workspaces/stages.suite.ts";
import { testPackages } from "./packages.suite.ts";

testPackages(SQLITE);
