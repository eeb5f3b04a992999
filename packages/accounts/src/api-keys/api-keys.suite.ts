import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { API_KEY_LIMITS, type ApiKey, type NewApiKey } from "@backplane/contract/accounts";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import {
  addKey,
  addUser,
  type OpenTestDatabase,
  startSiteWithUser,
  withBearer,
  withCookie,
} from "../callers/site.suite.ts";

/** Keys for programs, on a real engine. */
export function testApiKeys(engine: string, open: OpenTestDatabase): void {
  const rule = ruleTest(engine);
  async function prepare(t: TestContext) {
    const site = await startSiteWithUser(t, open);
    const me = withCookie((await site.addOwnSession()).token);
    const program = withBearer((await site.addOwnSession({ kind: "Application" })).token);
    const listed = async () =>
      ((await site.call("GET", "/auth/api-keys", me)).json() as { api_keys: ApiKey[] }).api_keys;
    return { ...site, me, program, listed };
  }

  test(`${engine}: POST /auth/api-keys answers 201 with the key, which is shown only once and stored as a hash`, async (t) => {
    const { call, me, database, lines, listed, kindOf } = await prepare(t);
    const response = await call("POST", "/auth/api-keys", me, { name: " CI ", scopes: ["read", "publish"] });
    assert.equal(response.statusCode, 201);
    assert.equal(response.headers["cache-control"], "no-store");
    const { key, ...shown } = response.json() as NewApiKey;
    assert.match(key, /^bpk_[\w-]{43}$/);
    assert.deepEqual(shown, {
      id: shown.id,
      name: "CI",
      scopes: ["publish", "read"],
      hint: `${key.slice(0, 8)}…${key.slice(-4)}`,
      created_at: "2026-07-28T14:30:00.000Z",
      last_used_at: null,
    });
    assert.deepEqual(await listed(), [shown]);
    assert.equal(await kindOf({ "x-api-key": key }), "ApiKey");
    const secret = key.slice(8, -4);
    assert.ok(!JSON.stringify(await database.durable.selectFrom("api_keys").selectAll().execute()).includes(secret));
    assert.ok(!lines.join("").includes(secret));
  });

  rule(`${engine}: without scopes a key has all of them; an unknown, repeated or empty one is named`, async (t) => {
    const { call, me, listed } = await prepare(t);
    const made = await call("POST", "/auth/api-keys", me, { name: "all" });
    assert.deepEqual((made.json() as NewApiKey).scopes, [
      "panels",
      "publish",
      "read",
      "devices:read",
      "devices:control",
    ]);
    for (const body of [
      { name: "x", scopes: ["admin"] },
      { name: "x", scopes: ["read", "read"] },
      { name: "x", scopes: [] },
      { name: " " },
      { name: "x".repeat(API_KEY_LIMITS.maxNameLength + 1) },
      {},
    ]) {
      const refused = await call("POST", "/auth/api-keys", me, body);
      assert.deepEqual([refused.statusCode, refused.json().code], [422, "invalid-input"]);
      assert.match(refused.json().errors[0].pointer, /^\/(name|scopes)/);
    }
    assert.equal((await listed()).length, 1);
  });

  rule(
    `${engine}: sessions of programs and API keys cannot create API keys, browser sessions can; a key cannot list keys`,
    async (t) => {
      const { call, me, program, addOwnKey } = await prepare(t);
      const { key, id } = await addOwnKey();
      for (const headers of [program, { "x-api-key": key }]) {
        const refused = await call("POST", "/auth/api-keys", headers, { name: "more" });
        assert.deepEqual([refused.statusCode, refused.json().code], [403, "browser-session-needed"]);
      }
      for (const refused of [
        await call("GET", "/auth/api-keys", { "x-api-key": key }),
        await call("DELETE", `/auth/api-keys/${id}`, { "x-api-key": key }),
      ]) {
        assert.deepEqual([refused.statusCode, refused.json().code], [403, "session-needed"]);
      }
      for (const refused of [
        await call("GET", "/auth/api-keys"),
        await call("POST", "/auth/api-keys", {}, { name: "x" }),
        await call("DELETE", `/auth/api-keys/${id}`),
      ]) {
        assert.deepEqual([refused.statusCode, refused.json().code], [401, "not-signed-in"]);
      }
      const forged = await call("POST", "/auth/api-keys", { ...me, "sec-fetch-site": "cross-site" }, { name: "x" });
      assert.deepEqual([forged.statusCode, forged.json().code], [403, "foreign-page"]);
      assert.equal((await call("GET", "/auth/api-keys", program)).statusCode, 200);
    },
  );

  test(`${engine}: DELETE /auth/api-keys/{id} revokes a key of one's own at once on every instance, and nobody else's`, async (t) => {
    const { call, database, clock, program, kindOf, listed, addOwnKey, startSecond } = await prepare(t);
    const other = await startSecond();
    const { key, id } = await addOwnKey();
    for (const ask of [kindOf, other.kindOf]) assert.equal(await ask(withBearer(key)), "ApiKey");
    assert.equal((await call("DELETE", `/auth/api-keys/${id}`, program)).statusCode, 204);
    assert.equal(await kindOf(withBearer(key)), "nobody");
    await new Promise(setImmediate);
    assert.equal(await other.kindOf(withBearer(key)), "nobody");
    assert.deepEqual(await listed(), []);
    const stranger = await addUser(database, { name: "eve" });
    const hers = await addKey(database, stranger, clock.nowMs);
    for (const unknown of [hers.id, id, "unknown"]) {
      const refused = await call("DELETE", `/auth/api-keys/${unknown}`, program);
      assert.deepEqual([refused.statusCode, refused.json().code], [404, "not-found"]);
    }
    assert.equal(await kindOf(withBearer(hers.key)), "ApiKey");
  });

  test(`${engine}: an account that was removed a moment ago cannot create a key`, async (t) => {
    const { call, me, database, userId, kindOf } = await prepare(t);
    assert.equal(await kindOf(me), "Browser");
    await database.durable.deleteFrom("users").where("id", "=", userId).execute();
    const refused = await call("POST", "/auth/api-keys", me, { name: "late" });
    assert.deepEqual([refused.statusCode, refused.json().code], [401, "not-signed-in"]);
  });

  test(`${engine}: a session that was ended a moment ago cannot create a key, even where its end is not known yet`, async (t) => {
    const { call, me, database, kindOf, userId } = await prepare(t);
    assert.equal(await kindOf(me), "Browser");
    await database.durable.deleteFrom("sessions").where("user_id", "=", userId).execute();
    const refused = await call("POST", "/auth/api-keys", me, { name: "late" });
    assert.deepEqual([refused.statusCode, refused.json().code], [401, "not-signed-in"]);
    assert.deepEqual(await database.durable.selectFrom("api_keys").selectAll().execute(), []);
  });

  test(`${engine}: an id that no key can have is 400 or 404`, async (t) => {
    const { call, me } = await prepare(t);
    for (const id of ["%00", "a%00b", "%F0%9F%98%80", "99999999999999999999"]) {
      const { statusCode } = await call("DELETE", `/auth/api-keys/${id}`, me);
      assert.ok(statusCode === 400 || statusCode === 404, `${id} ${statusCode}`);
    }
  });

  test(`${engine}: an account has at most ${API_KEY_LIMITS.maxPerUser} keys, however many are created at once`, async (t) => {
    const { call, me, database, listed, addOwnKey } = await prepare(t);
    const { id } = await addOwnKey();
    const row = await database.durable.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
    assert.ok(row);
    const many = Array.from({ length: API_KEY_LIMITS.maxPerUser - 3 }, (_, i) => ({
      ...row,
      id: `${i}`,
      key_hash: `${i}`,
    }));
    await database.durable.insertInto("api_keys").values(many).execute();
    const made = await Promise.all(
      Array.from({ length: 10 }, () => call("POST", "/auth/api-keys", me, { name: "one more" })),
    );
    const codes = made.map((response) => response.json().code ?? response.statusCode).sort();
    assert.deepEqual(codes, [201, 201, ...Array(8).fill("too-many-of-these")]);
    assert.equal((await listed()).length, API_KEY_LIMITS.maxPerUser);
    assert.ok(made.every(({ statusCode }) => statusCode === 201 || statusCode === 409));
  });
}
