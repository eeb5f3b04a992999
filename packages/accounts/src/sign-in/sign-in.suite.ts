import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ACCOUNT_LIMITS, type User } from "@backplane/contract/accounts";
import {
  addUser,
  type OpenTestDatabase,
  openTables,
  startSite,
  startSiteWithUser,
  withBearer,
  withCookie,
} from "../callers/site.suite.ts";
import { hashPassword, verifyPassword } from "../users/passwords.ts";

const PASSWORD = "correct horse battery";
const CHROMIUM = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36";

/** Signing in by password, signing out and GET /user, on a real engine. */
export function testSignIn(engine: string, open: OpenTestDatabase): void {
  async function prepare(t: TestContext, { overHttps = false } = {}) {
    const user = { name: "Ada", email: "Ada@Example.org", password: PASSWORD };
    const site = await startSiteWithUser(t, open, { user, overHttps });
    const signIn = (body: object, headers: Record<string, string> = {}) =>
      site.call("POST", "/auth/login", { "user-agent": CHROMIUM, ...headers }, body);
    return { ...site, signIn };
  }
  const tokenOf = (cookie: unknown) => /^session_token=(tok_[\w-]{43});/.exec(String(cookie))?.[1] ?? "";

  test(`${engine}: POST /auth/login accepts name or email address in any case, and answers with the user and the cookie`, async (t) => {
    const { signIn, userId, kindOf, call } = await prepare(t);
    for (const who of [{ name: "ada" }, { name: "ADA@example.ORG" }, { email: "ada@EXAMPLE.org" }, { email: "aDa" }]) {
      const response = await signIn({ ...who, password: PASSWORD });
      assert.equal(response.statusCode, 200, JSON.stringify(who));
      assert.equal(response.headers["cache-control"], "no-store");
      const cookie = String(response.headers["set-cookie"]);
      const token = tokenOf(cookie);
      assert.equal(cookie, `session_token=${token}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict`);
      const user = response.json() as User;
      assert.deepEqual(user, {
        id: userId,
        name: "Ada",
        display_name: "Ada",
        email: "Ada@Example.org",
        is_owner: false,
        organisations: [],
        invitations: [],
        session: {
          id: user.session.id,
          kind: "Browser",
          name: "Chromium on Linux",
          created_at: "2026-07-28T14:30:00.000Z",
          expires_at: "2026-10-26T14:30:00.000Z",
          scopes: ["panels", "publish", "read", "devices:read", "devices:control"],
        },
      });
      assert.equal(await kindOf(withCookie(token)), "Browser");
      assert.deepEqual((await call("GET", "/user", withCookie(token))).json(), user);
    }
  });

  test(`${engine}: over https the cookie is Secure`, async (t) => {
    const { signIn } = await prepare(t, { overHttps: true });
    const { headers } = await signIn({ name: "ada", password: PASSWORD });
    assert.match(String(headers["set-cookie"]), /; HttpOnly; SameSite=Strict; Secure$/);
  });

  test(`${engine}: a wrong password, an unknown name and an account without a password get the same answer, at the same cost`, async (t) => {
    const tables = await openTables(t, open);
    const verified: string[] = [];
    const counting = async (password: string, hash: string) => {
      verified.push(hash.replace(/\$[^$]+\$[^$]+$/, ""));
      return verifyPassword(password, hash);
    };
    const { call, queries, database } = await startSite({
      ...tables,
      passwords: { hashPassword, verifyPassword: counting },
    });
    await addUser(database, { name: "ada", password: PASSWORD, hash: hashPassword });
    await addUser(database, { name: "guest" });
    const answers = [];
    for (const body of [
      { name: "ada", password: "wrong" },
      { name: "nobody", password: "wrong" },
      { name: "nobody@example.org", password: "wrong" },
      { name: "guest", password: "wrong" },
      { name: "guest", password: " " },
      { name: "' or 1=1 --", password: "wrong" },
    ]) {
      queries.length = 0;
      const response = await call("POST", "/auth/login", {}, body);
      const { instance, ...problem } = response.json();
      assert.ok(instance);
      const { "x-request-id": _id, date: _date, ...headers } = response.headers;
      answers.push({ problem, headers, status: response.statusCode, queries: [...queries] });
    }
    assert.deepEqual([answers[0]?.status, answers[0]?.problem.code], [401, "sign-in-failed"]);
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal(answers[0]?.headers["set-cookie"], undefined);
    assert.equal(verified.length, answers.length);
    assert.equal(new Set(verified).size, 1, "every hash has the same parameters");
  });

  test(`${engine}: without name and email address it is 422 and names the field`, async (t) => {
    const { signIn } = await prepare(t);
    for (const [body, pointer] of [
      [{ password: PASSWORD }, "/name"],
      [{ name: " ", password: PASSWORD }, "/name"],
      [{ name: "ada" }, "/password"],
      [{ name: "ada", password: "x".repeat(ACCOUNT_LIMITS.maxPasswordLength + 1) }, "/password"],
      [{ name: ["ada"], password: PASSWORD }, "/name"],
    ] as const) {
      const response = await signIn(body);
      assert.deepEqual([response.statusCode, response.json().code], [422, "invalid-input"]);
      assert.equal(response.json().errors[0].pointer, pointer);
    }
  });

  test(`${engine}: a page on another site can sign its visitor neither in nor out`, async (t) => {
    const { signIn, call, kindOf } = await prepare(t);
    const foreign = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
    const forged = await signIn({ name: "ada", password: PASSWORD }, foreign);
    assert.deepEqual([forged.statusCode, forged.json().code], [403, "foreign-page"]);
    assert.equal(forged.headers["set-cookie"], undefined);
    const me = withCookie(tokenOf((await signIn({ name: "ada", password: PASSWORD })).headers["set-cookie"]));
    for (const method of ["DELETE", "POST"] as const) {
      const refused = await call(method, "/auth/logout", { ...me, ...foreign });
      assert.deepEqual([refused.statusCode, refused.headers["set-cookie"]], [403, undefined]);
    }
    assert.equal(await kindOf(me), "Browser");
  });

  test(`${engine}: signing in again creates a new session and ends the old one, but not the session of a program`, async (t) => {
    const { signIn, kindOf, addOwnSession } = await prepare(t);
    const body = { name: "ada", password: PASSWORD };
    const first = tokenOf((await signIn(body)).headers["set-cookie"]);
    assert.equal(await kindOf(withCookie(first)), "Browser");
    const second = tokenOf((await signIn(body, withCookie(first))).headers["set-cookie"]);
    assert.notEqual(second, first);
    assert.equal(await kindOf(withCookie(first)), "nobody");
    assert.equal(await kindOf(withCookie(second)), "Browser");
    const { token: program } = await addOwnSession({ kind: "Application" });
    await signIn(body, withCookie(program));
    assert.equal(await kindOf(withBearer(program)), "Application");
  });

  test(`${engine}: a password that was changed during the check signs nobody in`, async (t) => {
    const tables = await openTables(t, open);
    const { database } = tables;
    const verifyAndChange = async (password: string, hash: string) => {
      const isRight = await verifyPassword(password, hash);
      await database.durable.updateTable("users").set({ password_hash: "another" }).execute();
      return isRight;
    };
    const { call } = await startSite({ ...tables, passwords: { hashPassword, verifyPassword: verifyAndChange } });
    await addUser(database, { name: "ada", password: PASSWORD });
    const response = await call("POST", "/auth/login", {}, { name: "ada", password: PASSWORD });
    assert.deepEqual([response.statusCode, response.headers["set-cookie"]], [401, undefined]);
    assert.deepEqual(await database.durable.selectFrom("sessions").selectAll().execute(), []);
  });

  test(`${engine}: /auth/logout ends the session of the request, of either kind, and clears the cookie`, async (t) => {
    const { call, kindOf, addOwnSession, addOwnKey } = await prepare(t);
    for (const [method, kind] of [
      ["DELETE", "Browser"],
      ["POST", "Application"],
    ] as const) {
      const { token } = await addOwnSession({ kind });
      const kept = await addOwnSession({ kind });
      const response = await call(method, "/auth/logout", kind === "Browser" ? withCookie(token) : withBearer(token));
      assert.deepEqual([response.statusCode, response.body], [204, ""]);
      assert.equal(response.headers["set-cookie"], "session_token=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
      assert.equal(response.headers["cache-control"], "no-store");
      assert.equal(await kindOf(withBearer(token)), "nobody");
      assert.equal(await kindOf(withBearer(kept.token)), kind);
      assert.equal((await call(method, "/auth/logout", withBearer(token))).json().code, "not-signed-in");
    }
    const { key } = await addOwnKey();
    const byKey = await call("DELETE", "/auth/logout", { "x-api-key": key });
    assert.deepEqual([byKey.statusCode, byKey.json().code], [403, "session-needed"]);
  });

  test(`${engine}: GET /user tells any caller that may read who they are, with their organisations`, async (t) => {
    const { call, database, userId, addOwnKey } = await prepare(t);
    await database.durable
      .insertInto("organisations")
      .values({ id: "o1", name: "Lab", display_name: "", created_at_ms: 1 })
      .execute();
    await database.durable
      .insertInto("memberships")
      .values({ organisation_id: "o1", user_id: userId, role: "owner", added_at_ms: 1 })
      .execute();
    const { key, id } = await addOwnKey(["read"]);
    const user = (await call("GET", "/user", { "x-api-key": key })).json() as User;
    assert.deepEqual(user.organisations, [{ name: "Lab", role: "owner" }]);
    assert.deepEqual(user.session, {
      ...{ id, kind: "ApiKey", name: "Test", created_at: "2026-07-28T14:30:00.000Z", expires_at: null },
      scopes: ["read"],
    });
    const { key: blind } = await addOwnKey(["panels"]);
    const refused = await call("GET", "/user", withBearer(blind));
    assert.deepEqual([refused.statusCode, refused.json().code], [403, "scope-missing"]);
    assert.equal((await call("GET", "/user")).json().code, "not-signed-in");
  });

  test(`${engine}: the tables and the log contain no password and no token`, async (t) => {
    const { signIn, database, lines } = await prepare(t);
    const response = await signIn({ name: "ada", password: PASSWORD });
    await signIn({ name: "ada", password: "cAnArY-wrong-password" });
    const token = tokenOf(response.headers["set-cookie"]);
    assert.match(token, /^tok_/);
    const kept = JSON.stringify([
      await database.durable.selectFrom("users").selectAll().execute(),
      await database.durable.selectFrom("sessions").selectAll().execute(),
      lines,
    ]);
    for (const secret of [PASSWORD, "cAnArY", token.slice(4)]) assert.ok(!kept.includes(secret));
  });
}
