import { openFreshPostgres } from "./open-postgres.suite.ts";
import { testPublishing } from "./publishing.suite.ts";
import { testRaces } from "./races.suite.ts";
import { testStatus } from "./status.suite.ts";
import { testSweep } from "./sweep-orphans.suite.ts";

// What is refused, and how an upload is read, is the same whatever is below.
for (const test of [testPublishing, testRaces, testStatus, testSweep]) {
  test("postgres", openFreshPostgres);
}
