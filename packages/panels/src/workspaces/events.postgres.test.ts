import { isLongRun } from "../../../../scripts/testing/long.ts";
import { testEvents } from "./events.suite.ts";
import { testRoutes } from "./routes.suite.ts";
import { POSTGRES } from "./stages.suite.ts";

testEvents(POSTGRES);
// The routes do not depend on the engine: a long run tries them here too.
if (isLongRun) testRoutes(POSTGRES);
