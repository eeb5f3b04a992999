import { SQLITE } from "../workspaces/stages.suite.ts";
import { testEvalQueue } from "./eval-queue.suite.ts";
import { testJournal } from "./journal.suite.ts";
import { testSandboxRoutes } from "./routes.suite.ts";

testEvalQueue(SQLITE);
testJournal(SQLITE);
testSandboxRoutes(SQLITE);
