import { testSharing } from "./sharing.suite.ts";
import { SQLITE } from "./stages.suite.ts";
import { testWatching } from "./watching.suite.ts";
import { testWorkspaces } from "./workspaces.suite.ts";

testWorkspaces(SQLITE);
testSharing(SQLITE);
testWatching(SQLITE);
