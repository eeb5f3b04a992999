import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_MAX_AGE_S, INTENT_LIFE_MS, INTENT_LIMITS, type Intent } from "@backplane/contract/intents";
import { hashSecret } from "@backplane/kit/secrets";
import { AUTH_URL, BASE_URL, openStage, PROGRAM, refusalOf, type Stage, tokenIn } from "./intents-under-test.suite.ts";

/** The contract's rows about making, reading and deciding an intent. */
export function intentContract(stage: Stage): void {
  const { name } = stage;

  test(`${name}: POST /auth/intents → 201 Created with the intent object (all fields of the intent table)`, async (t) => {
    const under = await openStage(t, stage);
    const response = await under.call(under.first, "/auth/intents", { method: "POST", body: { max_age: 3_600 } });
    assert.equal(response.status, 201);
    assert.equal(response.headers.get("cache-control"), "no-store");
    const intent = (await response.json()) as Intent;
    const { token, confirmation_code, ...rest } = intent;
    assert.match(token, /^int_[\w-]{43}$/, "token: identifies the intent; 256 bits");
    assert.match(confirmation_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.deepEqual(rest, {
      created_at: new Date(under.clock.nowMs).toISOString(),
      expires_at: new Date(under.clock.nowMs + 15 * 60_000).toISOString(),
      requested_max_age: 3_600,
      auth_url: `${AUTH_URL}/auth/intent?token=${token}`,
      updates_url: `${BASE_URL}/auth/intents/${token}/status`,
      completed: false,
    });
    assert.equal(response.headers.get("location"), `/auth/intents/${token}`);
  });

  test(`${name}: it works with no body and no Content-Type, and with an empty body of any type`, async (t) => {
    const under = await openStage(t, stage);
    for (const type of [undefined, "application/json", "application/x-www-form-urlencoded", "text/plain"]) {
      const response = await fetch(`${under.first.url}/auth/intents`, {
        method: "POST",
        ...(type === undefined ? {} : { headers: { "content-type": type }, body: "" }),
      });
      assert.equal(response.status, 201, type);
      const { requested_max_age } = (await response.json()) as Intent;
      assert.equal(requested_max_age, DEFAULT_MAX_AGE_S, "session lifetime: default 7776000 seconds (90 days)");
      assert.equal(DEFAULT_MAX_AGE_S, 7_776_000);
    }
    const unsaid = await fetch(`${under.first.url}/auth/intents`, {
      method: "POST",
      body: Buffer.from('{"max_age":60}'),
    });
    assert.equal(((await unsaid.json()) as Intent).requested_max_age, 60);
  });

  test(`${name}: a wrong body changes nothing and is refused: 400, 413, 415, or 422 naming the field`, async (t) => {
    const under = await openStage(t, stage);
    const post = (body: unknown, type = "application/json") =>
      under.call(under.first, "/auth/intents", { method: "POST", body, headers: { "content-type": type } });
    const wrong: [unknown, string][] = [
      [{ max_age: "3600" }, "/max_age"],
      [{ max_age: 59 }, "/max_age"],
      [{ max_age: 31_536_001 }, "/max_age"],
      [{ max_age: 60.5 }, "/max_age"],
      [{ code_challenge: "short" }, "/code_challenge"],
      [{ code_challenge: "x".repeat(43), code_challenge_method: "plain" }, "/code_challenge_method"],
      [{ app_name: "" }, "/app_name"],
      [{ app_name: " " }, "/app_name"],
      [{ app_name: "x".repeat(81) }, "/app_name"],
      [{ app_name: "a\u0000b" }, "/app_name"],
      [{ app_name: "a\nb" }, "/app_name"],
      [{ app_name: "safe \u202Eexe.lab" }, "/app_name"],
      [{ app_name: "half \ud800" }, "/app_name"],
      [[], ""],
      ["null", ""],
    ];
    for (const [body, pointer] of wrong) {
      const response = await post(body);
      assert.equal(response.status, 422, JSON.stringify(body));
      const problem = (await response.json()) as { code: string; errors: { pointer: string }[] };
      assert.equal(problem.code, "invalid-input");
      assert.equal(problem.errors[0]?.pointer, pointer, JSON.stringify(body));
    }
    assert.deepEqual(await refusalOf(await post("{")), [400, "malformed-request"]);
    assert.deepEqual(await refusalOf(await post("max_age=60", "text/plain")), [415, "unsupported-media-type"]);
    const large = JSON.stringify({ x: "x".repeat(INTENT_LIMITS.maxBodyBytes) });
    assert.deepEqual(await refusalOf(await post(large)), [413, "payload-too-large"]);
    const rows = await under.database.durable.selectFrom("intents").select("token_hash").execute();
    assert.deepEqual(rows, []);
  });

  test(`${name}: max_age is 60 … 31,536,000 seconds; unknown fields are ignored; app_name keeps its readable characters`, async (t) => {
    const under = await openStage(t, stage);
    for (const max_age of [60, 31_536_000]) assert.equal((await under.create({ max_age })).requested_max_age, max_age);
    const { token } = await under.create({ app_name: " Schaltplan ✏️ ", scope: ["x"], max_age: 61 });
    assert.equal((await under.row(hashSecret(token))).app_name, "Schaltplan ✏️");
  });

  test(`${name}: GET /auth/intents/{token} → the intent object; completed is true once the user has logged in`, async (t) => {
    const under = await openStage(t, stage);
    const intent = await under.create({ max_age: 600 });
    const read = async () => {
      const response = await under.call(under.last, `/auth/intents/${intent.token}`);
      assert.equal(response.status, 200);
      return response.json();
    };
    assert.deepEqual(await read(), intent);
    const cookie = await under.signIn(await under.addUser());
    const decided = await under.decide(intent.token, cookie);
    assert.equal(decided.status, 200);
    assert.deepEqual(await decided.json(), { ...intent, completed: true });
    assert.deepEqual(await read(), { ...intent, completed: true });
  });

  test(`${name}: Intents 404: token not found`, async (t) => {
    const under = await openStage(t, stage);
    const cookie = await under.signIn(await under.addUser());
    const { token } = await under.create();
    for (const unknown of [
      `int_${"A".repeat(43)}`,
      "x",
      token.slice(0, -1),
      `${token}a`,
      "%00",
      `a${"b".repeat(500)}`,
    ]) {
      const expected = [404, "intent-unknown"];
      assert.deepEqual(await refusalOf(await under.call(under.first, `/auth/intents/${unknown}`)), expected);
      assert.deepEqual(await refusalOf(await under.poll(unknown)), expected);
      assert.deepEqual(await refusalOf(await under.poll(unknown, PROGRAM, { accept: "text/event-stream" })), expected);
      assert.deepEqual(await refusalOf(await under.decide(unknown, cookie)), expected);
      const page = await under.call(under.last, `/auth/intents/${unknown}/request`, { cookie });
      assert.deepEqual(await refusalOf(page), expected);
    }
  });

  test(`${name}: Intents 410: intent expired (older than 15 minutes), to the millisecond`, async (t) => {
    const under = await openStage(t, stage);
    const cookie = await under.signIn(await under.addUser());
    const { token } = await under.create();
    under.clock.nowMs += INTENT_LIFE_MS - 1;
    assert.deepEqual(await (await under.poll(token)).json(), { state: "pending" });
    assert.equal((await under.call(under.first, `/auth/intents/${token}`)).status, 200);
    under.clock.nowMs += 1;
    const expected = [410, "intent-expired"];
    assert.deepEqual(await refusalOf(await under.call(under.first, `/auth/intents/${token}`)), expected);
    assert.deepEqual(await refusalOf(await under.poll(token)), expected);
    assert.deepEqual(await refusalOf(await under.decide(token, cookie)), expected);
    assert.deepEqual(await refusalOf(await under.decide(token, cookie, { decision: "deny" })), expected);
    assert.equal((await under.row(hashSecret(token))).state, "pending", "nothing was changed");
  });

  test(`${name}: Intents 409: intent already linked to a session (PATCH only), and the link stays`, async (t) => {
    const under = await openStage(t, stage);
    const [one, other] = [await under.signIn(await under.addUser()), await under.signIn(await under.addUser())];
    const { token } = await under.create();
    assert.equal((await under.decide(token, one)).status, 200);
    const row = await under.row(hashSecret(token));
    for (const body of [undefined, { decision: "deny" }, { confirmation_code: "wrong" }]) {
      assert.deepEqual(await refusalOf(await under.decide(token, other, body)), [409, "intent-linked"]);
    }
    under.clock.nowMs += INTENT_LIFE_MS;
    assert.deepEqual(await refusalOf(await under.decide(token, other)), [409, "intent-linked"]);
    assert.deepEqual(await under.row(hashSecret(token)), row);
  });

  test(`${name}: deny is final: 200, then 410 denied for everybody; deny, Back, approve creates no session`, async (t) => {
    const under = await openStage(t, stage);
    const userId = await under.addUser();
    const cookie = await under.signIn(userId);
    const intent = await under.create();
    const { token } = intent;
    const denied = await under.decide(token, cookie, { decision: "deny" });
    assert.equal(denied.status, 200);
    assert.deepEqual(await denied.json(), { ...intent, completed: false });
    const expected = [410, "intent-denied"];
    assert.deepEqual(await refusalOf(await under.decide(token, cookie, { decision: "approve" })), expected);
    assert.deepEqual(await refusalOf(await under.decide(token, cookie, { decision: "deny" })), expected);
    assert.deepEqual(await refusalOf(await under.call(under.first, `/auth/intents/${token}`)), expected);
    assert.deepEqual(await refusalOf(await under.poll(token)), expected);
    const sessions = await under.database.durable.selectFrom("sessions").select("kind").execute();
    assert.deepEqual(sessions, [{ kind: "Browser" }]);
  });

  test(`${name}: the resulting session is of kind Application, lives max_age, and the token returned is its token`, async (t) => {
    const under = await openStage(t, stage);
    const userId = await under.addUser();
    const { token } = await under.create({ max_age: 120, app_name: "Router CLI" });
    await under.decide(token, await under.signIn(userId));
    const sessionToken = await tokenIn(await under.poll(token));
    const session = await under.database.durable
      .selectFrom("sessions")
      .selectAll()
      .where("token_hash", "=", hashSecret(sessionToken))
      .executeTakeFirstOrThrow();
    assert.equal(session.kind, "Application");
    assert.equal(session.user_id, userId);
    assert.equal(session.name, "Router CLI");
    assert.equal(session.address, PROGRAM);
    assert.equal(session.expires_at_ms, under.clock.nowMs + 120_000);
  });

  test(`${name}: a browser that opens it gets the page, and HEAD consumes nothing`, async (t) => {
    const under = await openStage(t, stage);
    const { token, auth_url } = await under.create();
    const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    const visit = await under.call(under.first, `/auth/intents/${token}`, { headers: { accept } });
    assert.equal(visit.status, 303);
    assert.equal(visit.headers.get("location"), auth_url);
    for (const path of [`/auth/intents/${token}`, `/auth/intents/${token}/status`]) {
      assert.equal((await under.call(under.first, path, { method: "HEAD" })).status, 405);
    }
    await under.decide(token, await under.signIn(await under.addUser()));
    assert.equal((await under.call(under.first, `/auth/intents/${token}/status`, { method: "HEAD" })).status, 405);
    assert.equal((await under.row(hashSecret(token))).consumer, null);
  });

  test(`${name}: creating more than allowed per address is 429 with Retry-After; loopback is not counted`, async (t) => {
    const under = await openStage(t, stage);
    const post = (from: string) => under.call(under.first, "/auth/intents", { method: "POST", from });
    for (let made = 0; made < INTENT_LIMITS.createsPerMinute; made += 1)
      assert.equal((await post(PROGRAM)).status, 201);
    const response = await post(PROGRAM);
    assert.ok(Number(response.headers.get("retry-after")) >= 1);
    assert.deepEqual(await refusalOf(response), [429, "too-many-requests"]);
    assert.equal((await post("203.0.113.8")).status, 201);
    for (let made = 0; made < INTENT_LIMITS.createsPerMinute + 1; made += 1) {
      for (const loopback of ["127.0.0.1", "::1"]) assert.equal((await post(loopback)).status, 201);
    }
  });
}
