import { testEvents } from "./events.suite.ts";
import { POSTGRES } from "./stages.suite.ts";

// The routes themselves are the same whatever is below.
testEvents(POSTGRES);
