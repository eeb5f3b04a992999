import { testEvents } from "./events.suite.ts";
import { testRoutes } from "./routes.suite.ts";
import { POSTGRES } from "./stages.suite.ts";

testRoutes(POSTGRES);
testEvents(POSTGRES);
