import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { testMembers } from "./members.suite.ts";
import { testOrganisations } from "./organisations.suite.ts";
import { testOwners } from "./owners.suite.ts";

for (const test of [testOrganisations, testMembers, testOwners]) test("sqlite", openFreshSqlite);
