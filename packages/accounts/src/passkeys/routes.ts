import type { Claims } from "@backplane/kit/bus";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import type { App } from "@backplane/kit/http";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import type { DescribeUser } from "../accounts/profile.ts";
import type { StartBrowserSession } from "../sessions/start-browser-session.ts";
import type { AccountTables } from "../tables.ts";
import { createChallenges } from "./challenges.ts";
import { addPasskeyRoutes } from "./manage-routes.ts";
import { addSignInRoutes } from "./sign-in-routes.ts";
import { createPasskeyStore } from "./store.ts";

export type PasskeyOptions = {
  database: Database<AccountTables>;
  /** The bus's: a challenge that one instance gave is taken once, by any. */
  claims: Claims;
  whoIsCalling: WhoIsCalling;
  startBrowserSession: StartBrowserSession;
  describeUser: DescribeUser;
  newLimiter: (limit: RateLimit) => RateLimiter;
  now: Clock;
};

/** Passkeys of an account, and signing in by one. */
export function servePasskeys(app: App, options: PasskeyOptions): void {
  const store = createPasskeyStore(options.database);
  const challenges = createChallenges(options.claims);
  addPasskeyRoutes(app, { ...options, store, challenges });
  addSignInRoutes(app, { ...options, store, challenges });
}
