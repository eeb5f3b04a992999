import { createTestDatabase } from "../../../../scripts/services/index.ts";
import { migratePanels } from "../workspaces/stages.suite.ts";
import { logLaws } from "./log.suite.ts";

logLaws({
  name: "postgres",
  instances: 1,
  async prepare() {
    const fresh = await createTestDatabase({ prepare: migratePanels });
    return { url: fresh.url, discard: () => fresh[Symbol.asyncDispose]() };
  },
});
