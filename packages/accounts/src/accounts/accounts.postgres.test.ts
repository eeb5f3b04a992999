import { isLongRun } from "../../../../scripts/testing/long.ts";
import { openFreshPostgres } from "../callers/open-postgres.suite.ts";
import { testSignIn } from "../sign-in/sign-in.suite.ts";
import { testInvitations } from "./invitations.suite.ts";
import { testPasswordChange } from "./password-change.suite.ts";
import { testPasswordResetRules, testPasswordResets } from "./password-resets.suite.ts";
import { testPeople } from "./people.suite.ts";
import { testProfile } from "./profile.suite.ts";
import { testRegistration } from "./registration.suite.ts";

// What is stored, and which of several callers gets a name, depends on the engine. The rules about passwords do not: only
// the long run tries them here too.
const laws = [testInvitations, testRegistration, testProfile, testPeople, testPasswordResets];
const rules = [testPasswordChange, testPasswordResetRules, testSignIn];
for (const test of isLongRun ? [...laws, ...rules] : laws) test("postgres", openFreshPostgres);
