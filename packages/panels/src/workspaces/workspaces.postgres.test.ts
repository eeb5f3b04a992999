import { POSTGRES } from "./stages.suite.ts";
import { testWatching } from "./watching.suite.ts";
import { testWorkspaces } from "./workspaces.suite.ts";

testWorkspaces(POSTGRES);
testWatching(POSTGRES);
