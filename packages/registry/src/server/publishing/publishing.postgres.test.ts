import { isLongRun } from "../../../../../scripts/testing/long.ts";
import { openFreshPostgres } from "./open-postgres.suite.ts";
import { testPublishing } from "./publishing.suite.ts";
import { testRaces } from "./races.suite.ts";
import { testRefusals } from "./refusals.suite.ts";
import { testStatus } from "./status.suite.ts";
import { testSweep } from "./sweep-orphans.suite.ts";
import { testUnpublish } from "./unpublish.suite.ts";
import { testUploads } from "./uploads.suite.ts";

// What is refused, how an upload is read and how a status changes does not depend on the engine: a long run tries it here
// too. serving.postgres.test.ts changes statuses on PostgreSQL.
const laws = [testPublishing, testRaces, testSweep, testUnpublish];
const rules = [testRefusals, testStatus, testUploads];
for (const test of isLongRun ? [...laws, ...rules] : laws) test("postgres", openFreshPostgres);
