import { POSTGRES } from "../workspaces/stages.suite.ts";
import { testEvalQueue } from "./eval-queue.suite.ts";
import { testSandboxRoutes } from "./routes.suite.ts";

testEvalQueue(POSTGRES);
testSandboxRoutes(POSTGRES);
