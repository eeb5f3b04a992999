import { openFreshPostgres } from "../callers/open-postgres.suite.ts";
import { testInvitations } from "./invitations.suite.ts";
import { testPeople } from "./people.suite.ts";
import { testProfile } from "./profile.suite.ts";
import { testRegistration } from "./registration.suite.ts";

// What is kept, and who of several at once gets a name. Rules about passwords are the same whatever is below.
for (const test of [testInvitations, testRegistration, testProfile, testPeople]) test("postgres", openFreshPostgres);
