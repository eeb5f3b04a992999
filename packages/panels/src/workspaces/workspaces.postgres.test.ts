import { isLongRun } from "../../../../scripts/testing/long.ts";
import { testEvents } from "./events.suite.ts";
import { testRoutes } from "./routes.suite.ts";
import { testSharing } from "./sharing.suite.ts";
import { POSTGRES } from "./stages.suite.ts";
import { testWatching } from "./watching.suite.ts";
import { testWorkspaces } from "./workspaces.suite.ts";

testWorkspaces(POSTGRES);
testSharing(POSTGRES);
// Who hears of a change depends on the bus (watching.redis.test.ts, events.redis.test.ts), and the routes on nothing below
// them: a long run tries them here too.
if (isLongRun) for (const test of [testWatching, testEvents, testRoutes]) test(POSTGRES);
