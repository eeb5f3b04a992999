import { SQLITE } from "../workspaces/stages.suite.ts";
import { testScreenshots } from "./screenshots.suite.ts";
import { testSharing } from "./sharing.suite.ts";
import { testUploads } from "./uploads.suite.ts";

testScreenshots(SQLITE);
testSharing(SQLITE);
testUploads(SQLITE);
