import { POSTGRES } from "../workspaces/stages.suite.ts";
import { testEvalQueue } from "./eval-queue.suite.ts";

// The routes themselves are the same whatever is below.
testEvalQueue(POSTGRES);
