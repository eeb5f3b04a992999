import { ACCOUNT_LIMITS } from "@backplane/contract/accounts";
import type { OwnersRemoved, WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import type { Callers } from "../callers/callers.ts";
import type { StartBrowserSession } from "../sessions/browser-sessions.ts";
import type { AccountTables } from "../tables.ts";
import type { DescribeUser } from "../users/describe-user.ts";
import type { Passwords } from "../users/passwords.ts";
import { createInvitations, serveInvitations } from "./invitations.ts";
import { servePasswordChange } from "./password-change.ts";
import { servePasswordResets } from "./password-reset-routes.ts";
import { servePeople } from "./people.ts";
import { serveProfile } from "./profile.ts";
import { serveRegistration } from "./registration.ts";

export type AccountsOptions = {
  database: Database<AccountTables>;
  whoIsCalling: WhoIsCalling;
  /** `callers.forget` */
  forget: Callers["forget"];
  ownersRemoved: OwnersRemoved;
  startBrowserSession: StartBrowserSession;
  describeUser: DescribeUser;
  passwords: Passwords;
  openRegistration: boolean;
  /** Where people reach the pages, without a trailing slash. */
  authUrl: string;
  /** How people call `backplane`. */
  command: string;
  newLimiter: (limit: RateLimit) => RateLimiter;
  now: Clock;
};

/** How accounts are created, changed and removed. */
export function serveAccounts(app: App, options: AccountsOptions): void {
  const { database, whoIsCalling, forget, ownersRemoved, describeUser, passwords, newLimiter, now } = options;
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
    hashPassword: passwords.hashPassword,
    now,
    startBrowserSession: options.startBrowserSession,
    describeUser,
    limiter: registrations,
  });
  serveProfile(app, { database, whoIsCalling, describeUser });
  servePasswordChange(app, { ...passwords, database, whoIsCalling, forget, limiter: wrongPasswords });
  servePasswordResets(app, {
    database,
    whoIsCalling,
    forget,
    startBrowserSession: options.startBrowserSession,
    hashPassword: passwords.hashPassword,
    authUrl: options.authUrl,
    command: options.command,
    limiter: newLimiter({
      name: "password-resets",
      limit: ACCOUNT_LIMITS.resetsPerAddress,
      windowMs: ACCOUNT_LIMITS.resetWindowMs,
    }),
    now,
  });
  servePeople(app, { database, whoIsCalling, forget, ownersRemoved, now });
}
