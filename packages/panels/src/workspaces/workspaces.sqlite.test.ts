import { SQLITE } from "./stages.suite.ts";
import { testWatching } from "./watching.suite.ts";
import { testWorkspaces } from "./workspaces.suite.ts";

testWorkspaces(SQLITE);
testWatching(SQLITE);
