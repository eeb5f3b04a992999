import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { Role } from "@backplane/contract/accounts";
import { openBus } from "@backplane/kit/bus";
import { type Database, migrate } from "@backplane/kit/database";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import { openCallers } from "../callers/callers.ts";
import { NEVER_MS, type OpenTestDatabase } from "../callers/site.suite.ts";
import { migrations } from "../migrations.ts";
import { openOwners } from "../organisations/owners.ts";
import { serveOrganisations } from "../organisations/routes.ts";
import { browserSessions } from "../sessions/browser-sessions.ts";
import { insertSession } from "../sessions/store.ts";
import type { AccountTables } from "../tables.ts";
import { describeUsers } from "../users/describe-user.ts";
import { quickPasswords } from "../users/quick-passwords.suite.ts";
import { insertUser } from "../users/users.ts";
import { serveAccounts } from "./routes.ts";

/** Headers that say who calls. */
export type Credential = Readonly<Record<string, string>>;
export type Person = { id: string; name: string; browser: Credential; application: Credential; apiKey: Credential };

const AUTH_URL = "https://backplane.example";
const SESSION_S = 90 * 24 * 3_600;
const ignore = () => {};

/** The routes of accounts and organisations as the platform serves them, with an owner and a test clock. */
export async function startAccounts(t: TestContext, open: OpenTestDatabase, { openRegistration = false } = {}) {
  const ends: (() => Promise<unknown>)[] = [];
  // Registered before the database's own hook: hooks run in the order in which they were added.
  t.after(async () => {
    for (const end of ends) await end();
  });
  const database = await open(t);
  let nowMs = Date.UTC(2026, 0, 1);
  const now = () => nowMs;
  await migrate(database as Database<unknown>, migrations, now);
  const bus = await openBus({ now, onFault: ignore });
  const callers = await openCallers({
    ...{ database, bus, now, overHttps: true, onFault: ignore, checkEveryMs: NEVER_MS },
  });
  const lines: string[] = [];
  const app = await createApp({
    onlyDeclaredProblems: true,
    log: createLog({ process: "test", level: "trace", destination: { write: (line) => lines.push(line) } }),
    metrics: createMetrics("test"),
    now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: ["127.0.0.1"],
    overHttps: true,
    apiDocs: { title: "Test", description: "", version: "0", url: AUTH_URL },
  });
  const { whoIsCalling, forget } = callers;
  const owners = openOwners(database);
  const ownersRemoved = owners.removed;
  serveAccounts(app, {
    database,
    whoIsCalling,
    forget,
    ownersRemoved,
    startBrowserSession: browserSessions({ database, now, overHttps: true, forget }),
    describeUser: describeUsers(database),
    passwords: quickPasswords,
    openRegistration,
    authUrl: AUTH_URL,
    command: "backplane",
    newLimiter: (limit) => createRateLimiter({ ...limit, redis: undefined, now, onFault: ignore }),
    now,
  });
  serveOrganisations(app, { database, whoIsCalling, forget, now, ownersRemoved });
  ends.push(
    () => app.close(),
    callers.close,
    () => bus.close(),
  );

  /** Calls as somebody, or as nobody. */
  async function call(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    url: string,
    credential: Credential = {},
    body?: unknown,
  ) {
    const response = await app.inject({
      method,
      url,
      headers: { ...credential, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    assert.equal(response.headers["cache-control"], "no-store", `${method} ${url}`);
    return response;
  }

  /** Calls, and checks that it is refused with this status and code. */
  async function refused(expected: `${number} ${string}`, ...parameters: Parameters<typeof call>) {
    const response = await call(...parameters);
    const body = response.json() as { code: string; detail?: string; errors?: { pointer: string }[] };
    assert.equal(`${response.statusCode} ${body.code}`, expected, response.body);
    return body;
  }

  async function person(name: string): Promise<Person> {
    const account = { name, displayName: "", email: `${name}@example.com`, passwordHash: "" };
    const id = await database.durable.transaction().execute((transaction) => insertUser(transaction, account, nowMs));
    return { id, name, ...(await credentials(database, id, nowMs)) };
  }

  /** Invites somebody to an organisation of `by`, and they accept. */
  async function join(by: Person, organisation: string, joining: Person, role: Role): Promise<void> {
    const at = `/auth/organisations/${organisation}`;
    assert.equal((await call("PUT", `${at}/members/${joining.name}`, by.browser, { role })).statusCode, 200);
    assert.equal((await call("POST", `${at}/accept`, joining.browser)).statusCode, 200);
  }

  const owner = await person("ada");
  await database.durable.updateTable("users").set({ is_owner: 1 }).where("id", "=", owner.id).execute();
  return {
    ...{ app, database, owners, call, refused, person, join, owner, lines, callers },
    pass: (ms: number) => {
      nowMs += ms;
    },
    now,
    again: (id: string) => credentials(database, id, nowMs),
  };
}

async function credentials(database: Database<AccountTables>, userId: string, nowMs: number) {
  const key = newSecret("bpk_");
  await database.durable
    .insertInto("api_keys")
    .values({
      id: randomUUID(),
      user_id: userId,
      name: "key",
      key_hash: hashSecret(key),
      hint: "",
      scopes: "panels,publish,read",
      created_at_ms: nowMs,
      last_used_at_ms: null,
    })
    .execute();
  const session = async (kind: "Browser" | "Application") => {
    const rest = { name: kind, program: null, address: "192.0.2.1", maxAgeS: SESSION_S };
    return (await insertSession(database.durable, { userId, kind, ...rest }, nowMs)).token;
  };
  return {
    browser: { cookie: `__Host-session_token=${await session("Browser")}` },
    application: { authorization: `Bearer ${await session("Application")}` },
    apiKey: { "x-api-key": key },
  };
}
