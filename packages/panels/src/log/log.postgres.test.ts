import { createTestDatabase } from "../../../../scripts/services/index.ts";
import { logLaws } from "./log.suite.ts";

logLaws({
  name: "postgres",
  instances: 1,
  async prepare() {
    const fresh = await createTestDatabase();
    return { url: fresh.url, discard: () => fresh[Symbol.asyncDispose]() };
  },
});
