import { testEvents } from "./events.suite.ts";
import { testRoutes } from "./routes.suite.ts";
import { SQLITE } from "./stages.suite.ts";

testRoutes(SQLITE);
testEvents(SQLITE);
