import { openFreshSqlite } from "./open-sqlite.suite.ts";
import { testPublishing } from "./publishing.suite.ts";
import { testRaces } from "./races.suite.ts";
import { testRefusals } from "./refusals.suite.ts";
import { testStatus } from "./status.suite.ts";
import { testSweep } from "./sweep-orphans.suite.ts";
import { testUnpublish } from "./unpublish.suite.ts";
import { testUploads } from "./uploads.suite.ts";

for (const test of [testPublishing, testRefusals, testRaces, testUploads, testStatus, testSweep, testUnpublish]) {
  test("sqlite", openFreshSqlite);
}
