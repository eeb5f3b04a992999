import { openFreshPostgres } from "../callers/open-postgres.suite.ts";
import { testMayUseOwner } from "./may-use-owner.suite.ts";
import { testMembers } from "./members.suite.ts";
import { testOrganisations } from "./organisations.suite.ts";

for (const test of [testOrganisations, testMembers, testMayUseOwner]) test("postgres", openFreshPostgres);
