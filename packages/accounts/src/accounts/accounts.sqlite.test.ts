import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { testInvitations } from "./invitations.suite.ts";
import { testPasswordChange } from "./password-change.suite.ts";
import { testPeople } from "./people.suite.ts";
import { testProfile } from "./profile.suite.ts";
import { testRegistration } from "./registration.suite.ts";

for (const test of [testInvitations, testRegistration, testProfile, testPasswordChange, testPeople]) {
  test("sqlite", openFreshSqlite);
}
