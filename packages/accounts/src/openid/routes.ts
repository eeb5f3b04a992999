import { OPENID_LIMITS, SignInOptions } from "@backplane/contract/accounts";
import type { Claims } from "@backplane/kit/bus";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type App, callerKey, limitRate } from "@backplane/kit/http";
import type { RateLimit, RateLimiter } from "@backplane/kit/rate-limiter";
import type { OpenidSettings } from "@backplane/kit/settings";
import { READING } from "../callers/access.ts";
import type { StartBrowserSession } from "../sessions/browser-sessions.ts";
import type { AccountTables } from "../tables.ts";
import { answerReader } from "./answer.ts";
import { createFlows, flowCookies } from "./flows.ts";
import { addLinkRoutes } from "./link-routes.ts";
import { createOpenidProvider } from "./provider.ts";
import { addSignInRoutes } from "./sign-in-routes.ts";
import { createIdentityStore } from "./store.ts";

export type OpenidOptions = {
  /** Undefined: no provider is configured; only GET /auth/options is served. */
  openid: OpenidSettings | undefined;
  openRegistration: boolean;
  /** Where the provider sends people back to. */
  baseUrl: string;
  database: Database<AccountTables>;
  /** From the bus, so that a state of one instance can be used once, at any instance. */
  claims: Claims;
  whoIsCalling: WhoIsCalling;
  startBrowserSession: StartBrowserSession;
  newLimiter: (limit: RateLimit) => RateLimiter;
  fetch: typeof globalThis.fetch;
  now: Clock;
};

/** Signing in through an OpenID Connect provider, and what the sign-in page offers. */
export function serveOpenid(app: App, options: OpenidOptions): void {
  const { openid, openRegistration, baseUrl, database, claims, whoIsCalling, newLimiter, fetch, now } = options;
  app.get(
    "/auth/options",
    {
      ...READING,
      schema: {
        tags: ["openid"],
        summary: "What the sign-in page offers",
        problems: ["foreign-page"],
        response: { 200: SignInOptions },
      },
    },
    async (request) => ({
      open_registration: openRegistration,
      signed_in: (await whoIsCalling(request)) !== undefined,
      ...(openid ? { openid: { name: openid.name } } : {}),
    }),
  );
  if (!openid) return;

  const redirectUri = `${baseUrl}/auth/openid/callback`;
  const provider = createOpenidProvider({ openid, redirectUri, fetch, now });
  const identities = createIdentityStore(database);
  const limiter = newLimiter({ name: "openid", limit: OPENID_LIMITS.callsPerMinute, windowMs: 60_000 });
  const shared = {
    provider,
    identities,
    flows: createFlows(claims),
    cookies: flowCookies(baseUrl),
    limit: limitRate(limiter, ({ ip }) => callerKey(ip)),
  };
  const readAnswer = answerReader({ provider, identities, database, openRegistration, now });
  addSignInRoutes(app, { ...options, ...shared, readAnswer });
  addLinkRoutes(app, { ...options, ...shared });
}
