import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import type { Callers } from "../callers/callers.ts";
import type { StartBrowserSession } from "../sessions/start-browser-session.ts";
import type { AccountTables } from "../tables.ts";
import { createInvitations } from "./invitations.ts";
import { serveInvitations } from "./invitations-routes.ts";
import { servePasswordChange } from "./password-change-routes.ts";
import { servePeople } from "./people-routes.ts";
import type { DescribeUser } from "./profile.ts";
import { serveProfile } from "./profile-routes.ts";
import { serveRegistration } from "./registration-routes.ts";

export type AccountsOptions = {
  database: Database<AccountTables>;
  whoIsCalling: WhoIsCalling;
  /** `callers.forget` */
  forget: Callers["forget"];
  startBrowserSession: StartBrowserSession;
  describeUser: DescribeUser;
  hashPassword(password: string): Promise<string>;
  verifyPassword(password: string, hash: string): Promise<boolean>;
  openRegistration: boolean;
  /** Where people reach the pages, without a slash at its end. */
  authUrl: string;
  newLimiter: (limit: RateLimit) => RateLimiter;
  now: Clock;
};

/** Accounts beyond signing in: how one is made, changed and removed. */
export function serveAccounts(app: App, options: AccountsOptions): void {
  const { database, whoIsCalling, forget, describeUser, hashPassword, verifyPassword, newLimiter, now } = options;
  const invitations = createInvitations(database, now);
  const registrations = newLimiter({
    name: "registrations",
    limit: ACCOUNT_LIMITS.registrationsPerAddress,
    windowMs: ACCOUNT_LIMITS.registrationWindowMs,
  });
  const wrongPasswords = newLimiter({
    name: "wrong-passwords",
    limit: ACCOUNT_LIMITS.wrongPasswordsPerAccount,
    windowMs: ACCOUNT_LIMITS.wrongPasswordWindowMs,
  });
  serveInvitations(app, { invitations, whoIsCalling, database, authUrl: options.authUrl, limiter: registrations });
  serveRegistration(app, {
    database,
    invitations,
    openRegistration: options.openRegistration,
    hashPassword,
    now,
    startBrowserSession: options.startBrowserSession,
    describeUser,
    limiter: registrations,
  });
  serveProfile(app, { database, whoIsCalling, describeUser });
  servePasswordChange(app, { database, hashPassword, verifyPassword, whoIsCalling, forget, limiter: wrongPasswords });
  servePeople(app, { database, whoIsCalling, forget, now });
}
