import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { testInvitations } from "./invitations.suite.ts";
import { testPasswordChange } from "./password-change.suite.ts";
import { testPasswordResetRules, testPasswordResets } from "./password-resets.suite.ts";
import { testPeople } from "./people.suite.ts";
import { testProfile } from "./profile.suite.ts";
import { testRegistration } from "./registration.suite.ts";

const laws = [testInvitations, testRegistration, testProfile, testPeople, testPasswordResets];
const rules = [testPasswordChange, testPasswordResetRules];
for (const test of [...laws, ...rules]) test("sqlite", openFreshSqlite);
