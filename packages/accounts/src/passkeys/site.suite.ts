import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { openBus } from "@backplane/kit/bus";
import { type Database, migrate } from "@backplane/kit/database";
import { type App, createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { createRateLimiter, type RateLimit } from "@backplane/kit/rate-limiter";
import { freePort } from "../../../../scripts/services/index.ts";
import { openCallers } from "../callers/callers.ts";
import type { OpenTestDatabase } from "../callers/site.suite.ts";
import { migrations } from "../migrations.ts";
import { browserSessions } from "../sessions/browser-sessions.ts";
import { insertSession } from "../sessions/store.ts";
import { describeUsers } from "../users/describe-user.ts";
import { Browser } from "./browser.suite.ts";

/** What the routes of this area need, on a real engine, with a test clock. */
async function openParts(t: TestContext, open: OpenTestDatabase) {
  const clock = { nowMs: Date.now() };
  const now = () => clock.nowMs;
  const database = await open(t);
  await migrate(database as Database<unknown>, migrations, now);
  const bus = await openBus({ now, onFault: () => {} });
  const callers = await openCallers({ database, bus, now, overHttps: false, onFault: () => {} });
  const parts = {
    database,
    claims: bus.claims,
    whoIsCalling: callers.whoIsCalling,
    startBrowserSession: browserSessions({ database, now, overHttps: false, forget: callers.forget }),
    newLimiter: (limit: RateLimit) => createRateLimiter({ ...limit, redis: undefined, now, onFault: () => {} }),
    describeUser: describeUsers(database),
    now,
  };
  const close = async () => {
    await callers.close();
    await bus.close();
  };
  return { clock, parts, close };
}

export type Parts = Awaited<ReturnType<typeof openParts>>["parts"];

/** A site that people can sign in to, at http://localhost. */
export async function startSite(
  t: TestContext,
  open: OpenTestDatabase,
  addRoutes: (app: App, parts: Parts, url: string) => unknown,
) {
  const { clock, parts, close } = await openParts(t, open);
  const lines: string[] = [];
  const app = await createApp({
    onlyDeclaredProblems: true,
    log: createLog({ process: "test", level: "trace", destination: { write: (line) => lines.push(line) } }),
    metrics: createMetrics("test"),
    now: parts.now,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: false,
  });
  // The routes need the address: reserve a port first.
  const port = await freePort();
  const url = `http://localhost:${port}`;
  await addRoutes(app, parts, url);
  await app.listen({ host: "127.0.0.1", port });
  t.after(async () => {
    app.server.closeAllConnections();
    await app.close();
    await close();
  });

  async function addUser(name: string, { password = "hashed", email = `${name}@example.org` } = {}): Promise<string> {
    const id = randomUUID();
    const { durable } = parts.database;
    await durable
      .insertInto("users")
      .values({
        id,
        name,
        display_name: "",
        email,
        password_hash: password,
        is_owner: 0,
        created_at_ms: parts.now(),
      })
      .execute();
    await durable.insertInto("owner_names").values({ name, user_id: id, organisation_id: null }).execute();
    return id;
  }

  const addSession = async (userId: string, kind: "Browser" | "Application") =>
    (
      await insertSession(
        parts.database.durable,
        { userId, kind, name: "test", program: null, address: "127.0.0.1", maxAgeS: 86_400 },
        parts.now(),
      )
    ).token;

  /** A browser in which that person is signed in. */
  async function signedIn(userId: string): Promise<Browser> {
    const browser = new Browser(url);
    browser.put("session_token", await addSession(userId, "Browser"));
    return browser;
  }

  return { ...parts, clock, lines, port, url, addUser, addSession, signedIn, browser: () => new Browser(url) };
}

export type Site = Awaited<ReturnType<typeof startSite>>;
