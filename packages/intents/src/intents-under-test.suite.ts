import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { type AccountTables, migrations, openAccountsArea } from "@backplane/accounts";
import type { Intent } from "@backplane/contract/intents";
import { type OpenBus, openBus } from "@backplane/kit/bus";
import { type Database, migrate } from "@backplane/kit/database";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import { openIntentsArea } from "./area.ts";
import { EventReader } from "./event-reader.suite.ts";
import type { IntentTables } from "./store.ts";

/** What differs between runs of the suites: the tables' engine, how many instances, and the bus between them. */
export type Stage = {
  name: string;
  /** A fresh, empty database; each `open` opens it once more. */
  prepare(): Promise<{ open(): Promise<Database<AccountTables & IntentTables>>; discard(): Promise<void> }>;
  instances: 1 | 2;
  /** Absent: one bus within this process. */
  openBus?: () => Promise<() => Promise<OpenBus>>;
};

export type Call = {
  method?: string;
  /** The caller's address. */
  from?: string;
  body?: unknown;
  cookie?: string;
  headers?: Record<string, string>;
};

export const PROGRAM = "203.0.113.7";
export const OTHER = "198.51.100.9";
export const BROWSER = "192.0.2.44";
export const AUTH_URL = "https://sign-in.example.org";
export const BASE_URL = "https://backplane.example.org";

export type UnderTest = Awaited<ReturnType<typeof openStage>>;

/** The routes on real sockets, with a test clock. Programs call the first instance, browsers the last. */
export async function openStage(t: TestContext, stage: Stage) {
  const clock = { nowMs: Date.now() };
  const now = () => clock.nowMs;
  const faults: unknown[] = [];
  const lines: string[] = [];
  const onFault = (error: unknown) => faults.push(error);
  const { open, discard } = await stage.prepare();
  const sharedBus = stage.openBus ? undefined : await openBus({ now, onFault });
  const connect = stage.openBus ? await stage.openBus() : undefined;

  async function start() {
    const database = await open();
    const bus = connect ? await connect() : (sharedBus as OpenBus);
    const accounts = await openAccountsArea({
      onSignIn: () => {},
      ...{ database, bus, now, fetch, onFault },
      settings: {
        ...{ authUrl: AUTH_URL, baseUrl: BASE_URL, command: "backplane" },
        ...{ openRegistration: false, openid: undefined },
      },
    });
    const metrics = createMetrics("test");
    const trustProxy = ["127.0.0.1"];
    const { whoIsCalling, forget, programSessions: sessions } = accounts;
    const intents = await openIntentsArea({
      ...{ database, bus, whoIsCalling, sessions, forget, now, metrics, onFault },
      settings: { authUrl: AUTH_URL, baseUrl: BASE_URL, trustProxy },
    });
    const app = await createApp({
      onlyDeclaredProblems: true,
      log: createLog({ process: "test", level: "trace", destination: { write: (line) => lines.push(line) } }),
      metrics,
      now,
      readiness: { checks: {}, isDraining: () => false },
      trustProxy,
      overHttps: BASE_URL.startsWith("https:"),
      answerFirst: intents.answerFirst,
    });
    await intents.addRoutes(app);
    await app.listen({ host: "127.0.0.1", port: 0 });
    const stop = async () => {
      await intents.close();
      app.server.closeAllConnections();
      await app.close();
      await accounts.close();
      if (bus !== sharedBus) await bus.close();
      await database.close();
    };
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    return { url, app, database, bus, sessions, intents, stop };
  }

  const first = await start();
  await migrate(first.database as Database<unknown>, migrations, () => 1);
  const last = stage.instances === 1 ? first : await start();
  const stops = new Set([last.stop, first.stop]);
  t.after(async () => {
    for (const stop of stops) await stop();
    await sharedBus?.close();
    await discard();
    assert.deepEqual(faults, []);
  });

  const call = (
    at: { url: string },
    path: string,
    { method = "GET", from = PROGRAM, body, cookie, headers }: Call = {},
  ) =>
    fetch(`${at.url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        "x-forwarded-for": from,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(cookie === undefined ? {} : { cookie: `__Host-session_token=${cookie}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });

  const { database } = first;

  return {
    clock,
    faults,
    lines,
    first,
    last,
    database,
    call,
    /** Starts one more instance; `stop` it within the test or leave it. */
    async another() {
      const started = await start();
      const { stop } = started;
      stops.add(stop);
      return Object.assign(started, {
        async stop() {
          stops.delete(stop);
          await stop();
        },
      });
    },
    async addUser(name = `u${randomUUID()}`) {
      const id = randomUUID();
      await database.durable
        .insertInto("users")
        .values({
          id,
          name,
          display_name: "",
          email: `${id}@localhost`,
          password_hash: "",
          is_owner: 0,
          created_at_ms: clock.nowMs,
        })
        .execute();
      return id;
    },
    addSession: (session: TestSession) => addSession(database, session, clock.nowMs),
    /** Adds a session and returns its token. */
    signIn: async (userId: string, kind: TestSession["kind"] = "Browser", address = BROWSER) =>
      (await addSession(database, { userId, kind, address }, clock.nowMs)).token,
    async create(body?: unknown, from = PROGRAM): Promise<Intent> {
      const response = await call(first, "/auth/intents", {
        method: "POST",
        from,
        ...(body === undefined ? {} : { body }),
      });
      assert.equal(response.status, 201);
      return (await response.json()) as Intent;
    },
    decide: (token: string, cookie: string, body?: unknown) =>
      call(last, `/auth/intents/${token}`, {
        method: "PATCH",
        from: BROWSER,
        cookie,
        ...(body === undefined ? {} : { body }),
      }),
    poll: (token: string, from = PROGRAM, headers: Record<string, string> = {}) =>
      call(first, `/auth/intents/${token}/status`, { from, headers }),
    stream: (token: string, from = PROGRAM, headers: Record<string, string> = {}) =>
      EventReader.open(`${first.url}/auth/intents/${token}/status`, { "x-forwarded-for": from, ...headers }),
    row: (hash: string) =>
      database.durable.selectFrom("intents").selectAll().where("token_hash", "=", hash).executeTakeFirstOrThrow(),
  };
}

type TestSession = { userId: string; kind: "Browser" | "Application"; address: string };

async function addSession({ durable }: Database<AccountTables>, { userId, kind, address }: TestSession, nowMs: number) {
  const id = randomUUID();
  const token = newSecret("tok_");
  await durable
    .insertInto("sessions")
    .values({
      ...{ id, user_id: userId, kind, token_hash: hashSecret(token), name: "test", program: null, address },
      ...{ created_at_ms: nowMs, last_used_at_ms: nowMs, expires_at_ms: nowMs + 86_400_000 },
      ...{ refused_address: null, refused_at_ms: null },
    })
    .execute();
  return { id, token };
}

/** The status and code of a refusal. */
export async function refusalOf(response: Response): Promise<[status: number, code: unknown]> {
  assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/);
  const { code, status } = (await response.json()) as { code: unknown; status: unknown };
  assert.equal(status, response.status);
  return [response.status, code];
}

/** The session token that a poll was answered with. */
export async function tokenIn(response: Response): Promise<string> {
  assert.equal(response.status, 200);
  const { state, session_token } = (await response.json()) as Record<string, string>;
  assert.equal(state, "authenticated");
  assert.match(session_token ?? "", /^tok_[\w-]{43}$/);
  return session_token as string;
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; !(await holds()); waitedMs += 10) {
    assert.ok(waitedMs < 120_000, `timed out: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
