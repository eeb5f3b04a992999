import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { ALL_SCOPES, type Scope } from "@backplane/contract/accounts";
import { type Bus, openBus } from "@backplane/kit/bus";
import { type Database, migrate } from "@backplane/kit/database";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import type { KyselyPlugin } from "kysely";
import { serveApiKeys } from "../api-keys/routes.ts";
import { createApiKeyStore } from "../api-keys/store.ts";
import { migrations } from "../migrations.ts";
import { browserSessions } from "../sessions/browser-sessions.ts";
import { serveSessions } from "../sessions/routes.ts";
import { createSessionStore, insertSession, type NewSession } from "../sessions/store.ts";
import { serveSignIn } from "../sign-in/routes.ts";
import type { AccountTables } from "../tables.ts";
import { describeUsers } from "../users/describe-user.ts";
import { boundPasswords, type Passwords } from "../users/passwords.ts";
import { quickPasswords } from "../users/quick-passwords.suite.ts";
import { openCallers } from "./callers.ts";

export type OpenTestDatabase = (t: TestContext) => Promise<Database<AccountTables>>;
export type Site = Awaited<ReturnType<typeof startSite>>;

export const ADDRESS = "192.0.2.7";
const DAY_S = 24 * 3_600;
/** Longer than a test. */
export const NEVER_MS = 2 ** 30;

/** What several instances share. */
export type Tables = {
  database: Database<AccountTables>;
  clock: { nowMs: number };
  /** Called after the test, the last one first, before the database is closed. */
  ends: (() => Promise<void>)[];
};

type SiteOptions = Tables & {
  bus?: Bus;
  overHttps?: boolean;
  passwords?: Passwords;
  /** How often lasting access is checked without a message. */
  checkEveryMs?: number;
};

/** A fresh database with its tables, and the clock that everything uses. */
export async function openTables(t: TestContext, open: OpenTestDatabase): Promise<Tables> {
  const clock = { nowMs: Date.UTC(2026, 6, 28, 14, 30) };
  const ends: Tables["ends"] = [];
  // Registered before the database's own hook: hooks run in the order in which they were added.
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const database = await open(t);
  await migrate(database as Database<unknown>, migrations, () => clock.nowMs);
  return { database, clock, ends };
}

/** One instance of the platform's routes for signing in, sessions and keys. */
export async function startSite(options: SiteOptions) {
  const { clock, overHttps = false, checkEveryMs = NEVER_MS } = options;
  const { passwords = boundPasswords(undefined, quickPasswords) } = options;
  const now = () => clock.nowMs;
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const { database, queries } = countQueries(options.database);
  const bus = options.bus ?? (await openBus({ now, onFault }));
  const callers = await openCallers({ database, bus, now, overHttps, onFault, checkEveryMs });
  const lines: string[] = [];
  const app = await createApp({
    onlyDeclaredProblems: true,
    log: createLog({ process: "test", level: "trace", destination: { write: (line) => lines.push(line) } }),
    metrics: createMetrics("test"),
    now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps,
    apiDocs: { title: "Test", description: "", version: "0", url: "http://localhost" },
  });
  const sessions = createSessionStore(database);
  serveSignIn(app, {
    ...{ database, bus, callers, sessions, passwords, overHttps, onFault },
    newLimiter: (limit) => createRateLimiter({ ...limit, redis: undefined, now, onFault }),
    startBrowserSession: browserSessions({ database, now, overHttps, forget: callers.forget }),
    describeUser: describeUsers(database),
  });
  serveSessions(app, { sessions, callers, now });
  serveApiKeys(app, { apiKeys: createApiKeyStore(database), callers, now });
  const answerWho = { schema: { hide: true } };
  const who = async (request: Parameters<typeof callers.whoIsCalling>[0]) =>
    (await callers.whoIsCalling(request)) ?? { kind: "nobody" };
  app.get("/who", answerWho, who);
  app.post("/who", answerWho, who);
  options.ends.push(async () => {
    await app.close();
    await callers.close();
    if (!options.bus) await bus.close();
  });

  type Headers = Record<string, string>;
  const call = (method: "GET" | "POST" | "PATCH" | "DELETE", url: string, headers: Headers = {}, body?: object) =>
    app.inject({
      method,
      url,
      headers: { host: "localhost:8790", ...headers },
      remoteAddress: ADDRESS,
      ...(body ? { payload: body } : {}),
    });
  /** Who a request with these headers comes from: a kind, or "nobody". */
  const kindOf = async (headers: Headers, method: "GET" | "POST" = "GET") => {
    const response = await call(method, "/who", headers);
    return (response.json() as { kind?: string; code: string }).kind ?? response.json().code;
  };
  return { app, bus, callers, sessions, database, queries, faults, lines, call, kindOf, overHttps };
}

type WithUserOptions = Pick<SiteOptions, "overHttps" | "checkEveryMs"> & { user?: Parameters<typeof addUser>[1] };

/** A site with one account, and functions that add sessions and keys to it. */
export async function startSiteWithUser(t: TestContext, open: OpenTestDatabase, options: WithUserOptions = {}) {
  const { user = { name: "ada" }, ...rest } = options;
  const tables = await openTables(t, open);
  const { database, clock } = tables;
  const site = await startSite({ ...tables, ...rest });
  const userId = await addUser(database, user);
  return {
    ...site,
    ...tables,
    tables,
    userId,
    /** Another instance on the same database and bus. */
    startSecond: () => startSite({ ...tables, bus: site.bus }),
    addOwnSession: (more?: Partial<NewSession>) => addSession(database, userId, clock.nowMs, more),
    addOwnKey: (scopes?: readonly Scope[]) => addKey(database, userId, clock.nowMs, scopes),
  };
}

/** Every query that was sent, by its kind. */
function countQueries(database: Database<AccountTables>) {
  const queries: string[] = [];
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      queries.push(node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const counted = {
    ...database,
    durable: database.durable.withPlugin(counting),
    shortLived: database.shortLived.withPlugin(counting),
  };
  return { database: counted, queries };
}

export async function addUser(
  { durable }: Database<AccountTables>,
  {
    name,
    email = `${name}@example.org`,
    password,
    hash = quickPasswords.hashPassword,
  }: { name: string; email?: string; password?: string; hash?: Passwords["hashPassword"] },
): Promise<string> {
  const id = randomUUID();
  await durable
    .insertInto("users")
    .values({
      ...{ id, name, email, display_name: "", is_owner: 0, created_at_ms: 1 },
      password_hash: password === undefined ? "" : await hash(password),
    })
    .execute();
  return id;
}

export const addSession = (
  { durable }: Database<AccountTables>,
  userId: string,
  nowMs: number,
  more: Partial<NewSession> = {},
) =>
  insertSession(
    durable,
    { userId, kind: "Browser", name: "Test", program: null, address: ADDRESS, maxAgeS: DAY_S, ...more },
    nowMs,
  );

export const addKey = async (
  database: Database<AccountTables>,
  userId: string,
  nowMs: number,
  scopes: readonly Scope[] = ALL_SCOPES,
) => {
  const { id: sessionId } = await addSession(database, userId, nowMs);
  const made = await createApiKeyStore(database).make({ userId, sessionId }, { name: "Test", scopes }, nowMs);
  await database.durable.deleteFrom("sessions").where("id", "=", sessionId).execute();
  if (made === "too-many") throw new Error(made);
  return { id: made.row.id, key: made.key };
};

export const withCookie = (token: string) => ({ cookie: `session_token=${token}` });
export const withBearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
