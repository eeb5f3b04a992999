import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { testMayUseOwner } from "./may-use-owner.suite.ts";
import { testMembers } from "./members.suite.ts";
import { testOrganisations } from "./organisations.suite.ts";

for (const test of [testOrganisations, testMembers, testMayUseOwner]) test("sqlite", openFreshSqlite);
