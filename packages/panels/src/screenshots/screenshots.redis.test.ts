import { REDIS } from "../workspaces/stages.suite.ts";
import { testSharing } from "./sharing.suite.ts";
import { testUploads } from "./uploads.suite.ts";

testSharing(REDIS);
testUploads(REDIS);
