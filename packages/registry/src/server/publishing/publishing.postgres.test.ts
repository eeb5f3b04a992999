import { isLongRun } from "../../../../../scripts/testing/long.ts";
import { openFreshPostgres } from "./open-postgres.suite.ts";
import { testPublishing } from "./publishing.suite.ts";
import { testRaces } from "./races.suite.ts";
import { testRefusals } from "./refusals.suite.ts";
import { testStatus } from "./status.suite.ts";
import { testSweep } from "./sweep-orphans.suite.ts";
import { testUploads } from "./uploads.suite.ts";

// What is refused, and how an upload is read, does not depend on the engine: a long run tries it here too.
const laws = [testPublishing, testRaces, testStatus, testSweep];
for (const test of isLongRun ? [...laws, testRefusals, testUploads] : laws) test("postgres", openFreshPostgres);
