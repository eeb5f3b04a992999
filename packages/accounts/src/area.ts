import type { OpenBus } from "@backplane/kit/bus";
import type { Caller, FollowAccess, Owners, OwnersRemoved, WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type App, openToAnyOrigin } from "@backplane/kit/http";
import { createRateLimiter, type RateLimit } from "@backplane/kit/rate-limiter";
import type { Settings } from "@backplane/kit/settings";
import type { FastifyRequest } from "fastify";
import { serveAccounts } from "./accounts/routes.ts";
import { serveApiKeys } from "./api-keys/routes.ts";
import { createApiKeyStore } from "./api-keys/store.ts";
import { requireInstanceOwner } from "./callers/access.ts";
import { type Callers, openCallers } from "./callers/callers.ts";
import { serveOpenid } from "./openid/routes.ts";
import { openOwners } from "./organisations/owners.ts";
import { serveOrganisations } from "./organisations/routes.ts";
import { servePasskeys } from "./passkeys/routes.ts";
import { browserSessions } from "./sessions/browser-sessions.ts";
import { openProgramSessions, type ProgramSessions } from "./sessions/program-sessions.ts";
import { serveSessions } from "./sessions/routes.ts";
import { createSessionStore, sweepSessions } from "./sessions/store.ts";
import { serveSignIn } from "./sign-in/routes.ts";
import type { AccountTables } from "./tables.ts";
import { type DescribeUser, describeUsers } from "./users/describe-user.ts";
import { boundPasswords } from "./users/passwords.ts";

/** What programs with a session call. They may be pages on any origin: those use their own token, never the cookie. */
const PROGRAM_ROUTES = [
  { url: "/user", methods: ["GET"] },
  { url: "/user/orgs", methods: ["GET"] },
  { url: "/auth/logout", methods: ["DELETE"] },
  { url: "/auth/sessions", methods: ["GET"] },
  { url: "/auth/sessions/:id", methods: ["DELETE"] },
];

const SWEEP_EVERY_MS = 60_000;

export type AreaOptions = {
  database: Database<AccountTables>;
  bus: OpenBus;
  settings: Pick<Settings, "authUrl" | "baseUrl" | "command" | "openRegistration" | "openid">;
  now: Clock;
  fetch: typeof globalThis.fetch;
  /** A person signed in to a browser. */
  onSignIn: () => void;
  onFault: (error: unknown) => void;
};

/** Accounts, sessions, API keys and organisations, ready to be mounted. */
export type AccountsArea = {
  /** For every area: who makes a request. */
  whoIsCalling: WhoIsCalling;
  /** For what goes on after its request: sockets, streams, passes. */
  followAccess: FollowAccess;
  owners: Owners;
  /** The owner of the whole instance, in a browser; throws for anybody else, and for their programs and keys. */
  requireInstanceOwner(request: FastifyRequest): Promise<Caller>;
  /** What GET /user answers. */
  describeUser: DescribeUser;
  /** For areas that give a program the session of a person. */
  programSessions: ProgramSessions;
  /** Call it with the ids of sessions and keys that have ended: no instance accepts them any more. */
  forget: Callers["forget"];
  addRoutes(app: App): void;
  close(): Promise<void>;
};

export async function openAccountsArea(options: AreaOptions): Promise<AccountsArea> {
  const { database, bus, settings, now, fetch, onSignIn, onFault } = options;
  const { authUrl, baseUrl, command, openRegistration, openid } = settings;
  const overHttps = baseUrl.startsWith("https:");
  const callers = await openCallers({ database, bus, now, overHttps, onFault });
  const { whoIsCalling, followAccess, forget } = callers;
  const newLimiter = (limit: RateLimit) => createRateLimiter({ ...limit, redis: bus.redis, now, onFault });
  const startBrowserSession = browserSessions({ database, now, overHttps, forget, onSignIn });
  const describeUser = describeUsers(database);
  const passwords = boundPasswords();
  const sessions = createSessionStore(database);
  const { removed, ...owners } = openOwners(database);
  // The account or organisation is gone already: a fault here must not say that it is not. The next start deletes the rest.
  const ownersRemoved: OwnersRemoved = (ids) => removed(ids).catch(onFault);
  const sweeper = setInterval(() => void sweepSessions(database, now()).catch(onFault), SWEEP_EVERY_MS).unref();

  return {
    whoIsCalling,
    followAccess,
    owners,
    requireInstanceOwner: (request) => requireInstanceOwner({ whoIsCalling, database }, request),
    describeUser,
    programSessions: openProgramSessions(database),
    forget,
    addRoutes(app) {
      openToAnyOrigin(app, PROGRAM_ROUTES);
      serveSignIn(app, {
        ...{ database, bus, callers, sessions, passwords, newLimiter, startBrowserSession, describeUser },
        ...{ overHttps, onFault },
      });
      serveAccounts(app, {
        ...{ database, whoIsCalling, forget, startBrowserSession, describeUser, newLimiter, now },
        ...{ openRegistration, authUrl, command, passwords, ownersRemoved },
      });
      serveOrganisations(app, { database, whoIsCalling, forget, now, ownersRemoved });
      serveSessions(app, { sessions, callers, now });
      serveApiKeys(app, { apiKeys: createApiKeyStore(database), callers, now });
      servePasskeys(app, {
        ...{ database, whoIsCalling, startBrowserSession, describeUser, newLimiter, now },
        claims: bus.claims,
      });
      serveOpenid(app, {
        ...{ database, whoIsCalling, startBrowserSession, newLimiter, now, fetch },
        ...{ openid, openRegistration, baseUrl, claims: bus.claims },
      });
    },
    async close() {
      clearInterval(sweeper);
      await callers.close();
    },
  };
}
