import type { OpenBus } from "@backplane/kit/bus";
import type { WhoIsCalling } from "@backplane/kit/callers";
import type { Clock } from "@backplane/kit/clock";
import type { Database } from "@backplane/kit/database";
import { type App, openToAnyOrigin } from "@backplane/kit/http";
import { createRateLimiter, type RateLimit } from "@backplane/kit/rate-limiter";
import type { Settings } from "@backplane/kit/settings";
import { serveAccounts } from "./accounts/accounts.ts";
import { boundPasswords } from "./accounts/passwords-bounded.ts";
import { serveSignIn } from "./accounts/sign-in-routes.ts";
import { describeUsers } from "./accounts/user.ts";
import { serveApiKeys } from "./api-keys/routes.ts";
import { createApiKeyStore } from "./api-keys/store.ts";
import { openCallers } from "./callers/callers.ts";
import { type Intents, serveIntents } from "./intents/serve-intents.ts";
import { serveOpenid } from "./openid/routes.ts";
import { serveOrganisations } from "./organisations/routes.ts";
import { servePasskeys } from "./passkeys/routes.ts";
import { serveSessions } from "./sessions/routes.ts";
import { browserSessions } from "./sessions/start-browser-session.ts";
import { createSessionStore } from "./sessions/store.ts";
import { sweepSessions } from "./sessions/sweep.ts";
import type { AccountTables } from "./tables.ts";

/** What a program calls, which may be a page of any origin: with a token of its own, never with the person's cookie. */
const PROGRAM_ROUTES = [
  { url: "/auth/intents", methods: ["POST"] },
  { url: "/auth/intents/:token", methods: ["GET"] },
  { url: "/auth/intents/:token/status", methods: ["GET"] },
  { url: "/user", methods: ["GET"] },
  { url: "/auth/logout", methods: ["DELETE"] },
  { url: "/auth/sessions", methods: ["GET"] },
  { url: "/auth/sessions/:id", methods: ["DELETE"] },
];

const SWEEP_EVERY_MS = 60_000;

export type AreaOptions = {
  database: Database<AccountTables>;
  bus: OpenBus;
  settings: Pick<Settings, "authUrl" | "baseUrl" | "openRegistration" | "openid">;
  now: Clock;
  fetch: typeof globalThis.fetch;
  onFault: (error: unknown) => void;
};

/** Accounts, sessions, API keys and intents, ready to be mounted. */
export type IntentsArea = {
  /** For every area: who makes this request. */
  whoIsCalling: WhoIsCalling;
  addRoutes(app: App): Promise<void>;
  /** Told to stop: streams would stay open. */
  drain(): void;
  close(): Promise<void>;
};

export async function openIntentsArea({
  database,
  bus,
  settings,
  now,
  fetch,
  onFault,
}: AreaOptions): Promise<IntentsArea> {
  const { authUrl, baseUrl, openRegistration, openid } = settings;
  const overHttps = baseUrl.startsWith("https:");
  const callers = await openCallers({ database, bus, now, onFault });
  const { whoIsCalling, forget } = callers;
  const newLimiter = (limit: RateLimit) => createRateLimiter({ ...limit, redis: bus.redis, now, onFault });
  const startBrowserSession = browserSessions({ database, now, overHttps, forget });
  const describeUser = describeUsers(database);
  const passwords = boundPasswords();
  const sessions = createSessionStore(database);
  let intents: Intents | undefined;

  const sweeper = setInterval(() => {
    Promise.all([intents?.sweep(), sweepSessions(database, now())]).catch(onFault);
  }, SWEEP_EVERY_MS).unref();

  return {
    whoIsCalling,
    async addRoutes(app) {
      openToAnyOrigin(app, PROGRAM_ROUTES);
      serveSignIn(app, {
        ...{ database, bus, callers, sessions, passwords, newLimiter, startBrowserSession, describeUser },
        ...{ overHttps, onFault },
      });
      serveAccounts(app, {
        ...{ database, whoIsCalling, forget, startBrowserSession, describeUser, newLimiter, now },
        ...{ openRegistration, authUrl, ...passwords },
      });
      serveOrganisations(app, { database, whoIsCalling, now });
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
      intents = await serveIntents(app, { database, bus, whoIsCalling, forget, now, authUrl, baseUrl, onFault });
    },
    drain: () => intents?.drain(),
    async close() {
      clearInterval(sweeper);
      await intents?.close();
      await callers.close();
    },
  };
}
