import { testEvents } from "./events.suite.ts";
import { REDIS } from "./stages.suite.ts";

testEvents(REDIS);
