import { isLongRun } from "../../../../scripts/testing/long.ts";
import { POSTGRES } from "../workspaces/stages.suite.ts";
import { testEvalQueue } from "./eval-queue.suite.ts";
import { testJournal } from "./journal.suite.ts";
import { testSandboxRoutes } from "./routes.suite.ts";

testEvalQueue(POSTGRES);
testJournal(POSTGRES);
// The routes do not depend on the engine: a long run tries them here too.
if (isLongRun) testSandboxRoutes(POSTGRES);
