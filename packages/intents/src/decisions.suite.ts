import assert from "node:assert/strict";
import { test } from "node:test";
import { SESSION_LIMITS } from "@backplane/contract/accounts";
import { INTENT_LIFE_MS, INTENT_LIMITS, type IntentRequest } from "@backplane/contract/intents";
import { hashSecret, newSecret } from "@backplane/kit/secrets";
import { BROWSER, OTHER, openStage, PROGRAM, refusalOf, type Stage } from "./intents-under-test.suite.ts";

/** Who may decide, by which code, and what they see before. */
export function decisionContract(stage: Stage): void {
  const { name } = stage;
  const UNKNOWN = `int_${"A".repeat(43)}`;

  test(`${name}: PATCH 401 not logged in, for an existing and for an unknown token`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    for (const asked of [token, UNKNOWN, "x"]) {
      const answers = [
        under.call(under.last, `/auth/intents/${asked}`, { method: "PATCH" }),
        under.decide(asked, newSecret("tok_")),
        under.call(under.last, `/auth/intents/${asked}/request`),
        under.call(under.last, "/auth/approvals"),
      ];
      for (const answer of answers) assert.deepEqual(await refusalOf(await answer), [401, "not-signed-in"]);
    }
    assert.equal((await under.row(hashSecret(token))).state, "pending");
  });

  test(`${name}: PATCH 403 forged: a page on another site approves nothing`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    const cookie = await under.signIn(await under.addUser());
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
    ]) {
      const forged = await under.call(under.last, `/auth/intents/${token}`, { method: "PATCH", cookie, headers });
      assert.deepEqual(await refusalOf(forged), [403, "foreign-page"]);
    }
    assert.equal((await under.row(hashSecret(token))).state, "pending");
    const own = { origin: under.last.url, "sec-fetch-site": "same-origin" };
    const response = await under.call(under.last, `/auth/intents/${token}`, { method: "PATCH", cookie, headers: own });
    assert.equal(response.status, 200);
  });

  test(`${name}: a session that was ended a moment ago approves nothing, even where its end is not known yet`, async (t) => {
    const under = await openStage(t, stage);
    const userId = await under.addUser();
    const { token } = await under.create();
    const cookie = await under.signIn(userId);
    assert.equal((await under.call(under.last, "/auth/approvals", { cookie })).status, 200);
    await under.database.durable.deleteFrom("sessions").where("user_id", "=", userId).execute();
    assert.deepEqual(await refusalOf(await under.decide(token, cookie)), [401, "not-signed-in"]);
    assert.equal((await under.row(hashSecret(token))).state, "pending");
    assert.deepEqual(await under.database.durable.selectFrom("sessions").select("id").execute(), []);
  });

  test(`${name}: an account that was removed a moment ago decides nothing, even where its removal is not known yet`, async (t) => {
    const under = await openStage(t, stage);
    const userId = await under.addUser();
    const { token } = await under.create();
    const cookie = await under.signIn(userId);
    assert.equal((await under.call(under.last, "/auth/approvals", { cookie })).status, 200);
    await under.database.durable.deleteFrom("users").where("id", "=", userId).execute();
    const guesses = Array.from({ length: INTENT_LIMITS.maxWrongCodes + 1 }, () => ({ confirmation_code: "wrong" }));
    for (const body of [{}, { decision: "deny" }, ...guesses]) {
      assert.deepEqual(await refusalOf(await under.decide(token, cookie, body)), [401, "not-signed-in"]);
    }
    assert.equal((await under.row(hashSecret(token))).state, "pending");
  });

  test(`${name}: Application sessions and API keys cannot approve intents`, async (t) => {
    const under = await openStage(t, stage);
    const userId = await under.addUser();
    const { token } = await under.create();
    const application = await under.signIn(userId, "Application");
    const key = newSecret("bpk_");
    await under.database.durable
      .insertInto("api_keys")
      .values({
        id: "k1",
        user_id: userId,
        name: "k",
        key_hash: hashSecret(key),
        hint: "",
        scopes: "panels,publish,read",
        created_at_ms: 1,
        last_used_at_ms: null,
      })
      .execute();
    const credentials: Record<string, string>[] = [
      { cookie: `session_token=${application}` },
      { authorization: `Bearer ${application}` },
      { "x-api-key": key },
    ];
    for (const headers of credentials) {
      const expected = [403, "browser-session-needed"];
      const patch = under.call(under.last, `/auth/intents/${token}`, { method: "PATCH", headers });
      assert.deepEqual(await refusalOf(await patch), expected);
      assert.deepEqual(
        await refusalOf(await under.call(under.last, `/auth/intents/${token}/request`, { headers })),
        expected,
      );
      assert.deepEqual(await refusalOf(await under.call(under.last, "/auth/approvals", { headers })), expected);
    }
    assert.equal((await under.row(hashSecret(token))).state, "pending");
  });

  test(`${name}: confirmation_code is compared without case, dashes, spaces; the body is optional`, async (t) => {
    const under = await openStage(t, stage);
    const cookie = await under.signIn(await under.addUser());
    const writings = [
      (code: string) => code,
      (code: string) => code.toLowerCase().replace("-", ""),
      (code: string) => ` ${code.replace("-", " – ")} `,
    ];
    for (const write of writings) {
      const { token, confirmation_code } = await under.create();
      const response = await under.decide(token, cookie, { confirmation_code: write(confirmation_code) });
      assert.equal(response.status, 200, write(confirmation_code));
    }
    const wrongType = await under.decide((await under.create()).token, cookie, { decision: "maybe" });
    assert.deepEqual(await refusalOf(wrongType), [422, "invalid-input"]);
  });

  test(`${name}: 422 wrong code, five times; the sixth denies the intent and ends its streams`, async (t) => {
    const under = await openStage(t, stage);
    const cookie = await under.signIn(await under.addUser());
    const { token, confirmation_code } = await under.create();
    const stream = await under.stream(token);
    const guess = { confirmation_code: "BBBB-BBBB" };
    for (let wrong = 1; wrong <= INTENT_LIMITS.maxWrongCodes; wrong += 1) {
      assert.deepEqual(await refusalOf(await under.decide(token, cookie, guess)), [422, "wrong-code"]);
    }
    assert.deepEqual(await refusalOf(await under.decide(token, cookie, guess)), [410, "intent-denied"]);
    assert.deepEqual(await refusalOf(await under.decide(token, cookie, { confirmation_code })), [410, "intent-denied"]);
    assert.deepEqual(await stream.last(), { event: "timeout", data: "" });
  });

  test(`${name}: GET …/request shows what asks, from where, for how long, who else waits, and whether the address is new`, async (t) => {
    const under = await openStage(t, stage);
    const userId = await under.addUser();
    const cookie = await under.signIn(userId);
    const madeAtMs = under.clock.nowMs;
    const created = await under.call(under.first, "/auth/intents", {
      method: "POST",
      body: { app_name: "Router CLI", max_age: 3_600 },
      headers: { "user-agent": "backplane/0.1.0 (linux; node 24)" },
    });
    const { token, confirmation_code, created_at, expires_at } = (await created.json()) as Record<string, string>;
    assert.ok(token);
    await under.poll(token);
    under.clock.nowMs += 2_000;
    for (let polls = 0; polls < 3; polls += 1) await under.poll(token, OTHER, { "user-agent": "curl/8.5.0" });
    await under.poll(token, BROWSER);
    const read = async () =>
      (await (await under.call(under.last, `/auth/intents/${token}/request`, { cookie })).json()) as IntentRequest;
    const { callers, ...request } = await read();
    assert.deepEqual(request, {
      state: "pending",
      app_name: "Router CLI",
      confirmation_code,
      created_at,
      expires_at,
      requested_max_age: 3_600,
      session_ends_at: new Date(under.clock.nowMs + 3_600_000).toISOString(),
    });
    const seen = callers.map(({ address, program, is_creator, is_new_address }) => [
      address,
      program,
      is_creator,
      is_new_address,
    ]);
    assert.deepEqual(seen[0], [PROGRAM, "Linux, Node 24", true, true]);
    const others = new Map(seen.slice(1).map((caller) => [caller[0], caller]));
    assert.deepEqual(others.get(OTHER), [OTHER, "curl 8", false, true]);
    assert.equal(others.get(BROWSER)?.[3], false, "a session of this person was used from there");
    assert.equal(others.size, 2);
    assert.equal(callers[0]?.since, new Date(madeAtMs).toISOString());
    await under.decide(token, cookie);
    const decided = await read();
    assert.equal(decided.state, "authenticated");
    assert.equal(decided.session_ends_at, new Date(under.clock.nowMs + 3_600_000).toISOString());
    assert.equal(decided.callers[0]?.is_new_address, false, "the new session is used from there");
  });

  test(`${name}: …/request lists at most ${INTENT_LIMITS.maxCallers} others, and answers for ended intents`, async (t) => {
    const under = await openStage(t, stage);
    const cookie = await under.signIn(await under.addUser());
    const [crowded, denied] = [await under.create(), await under.create()];
    for (let host = 1; host <= INTENT_LIMITS.maxCallers + 3; host += 1) {
      assert.equal((await under.poll(crowded.token, `198.51.100.${host}`)).status, 200);
    }
    const read = async (token: string) =>
      (await (await under.call(under.last, `/auth/intents/${token}/request`, { cookie })).json()) as IntentRequest;
    assert.equal((await read(crowded.token)).callers.length, INTENT_LIMITS.maxCallers + 1);
    await under.decide(denied.token, cookie, { decision: "deny" });
    assert.equal((await read(denied.token)).state, "denied");
    under.clock.nowMs += INTENT_LIFE_MS;
    assert.equal((await read(crowded.token)).state, "expired");
  });

  test(`${name}: GET /auth/approvals lists the person's last ${INTENT_LIMITS.maxApprovals} decisions, newest first`, async (t) => {
    const under = await openStage(t, stage);
    const cookie = await under.signIn(await under.addUser());
    const stranger = await under.signIn(await under.addUser());
    const list = async () =>
      ((await (await under.call(under.last, "/auth/approvals", { cookie })).json()) as { approvals: unknown[] })
        .approvals;
    assert.deepEqual(await list(), []);
    const kept = await under.create({ app_name: "kept" });
    const ended = await under.create({ app_name: "ended", max_age: 60 });
    const denied = await under.create();
    await under.decide((await under.create()).token, stranger);
    const decidedAt = [];
    for (const [intent, decision] of [
      [kept, "approve"],
      [ended, "approve"],
      [denied, "deny"],
    ] as const) {
      under.clock.nowMs += 1_000;
      decidedAt.unshift(new Date(under.clock.nowMs).toISOString());
      assert.equal((await under.decide(intent.token, cookie, { decision })).status, 200);
    }
    under.clock.nowMs += 60_000;
    const { session_id } = await under.row(hashSecret(kept.token));
    assert.deepEqual(await list(), [
      { decision: "deny", app_name: null, address: PROGRAM, decided_at: decidedAt[0], session_id: null },
      { decision: "approve", app_name: "ended", address: PROGRAM, decided_at: decidedAt[1], session_id: null },
      { decision: "approve", app_name: "kept", address: PROGRAM, decided_at: decidedAt[2], session_id },
    ]);
    for (let more = 0; more < INTENT_LIMITS.maxApprovals; more += 1) {
      await under.decide((await under.create()).token, cookie, { decision: "deny" });
    }
    assert.equal((await list()).length, INTENT_LIMITS.maxApprovals);
  });

  test(`${name}: sessions of programs are limited: the longest unused one ends, never the browser session that approves`, async (t) => {
    const under = await openStage(t, stage);
    const userId = await under.addUser();
    const cookie = await under.signIn(userId);
    for (let made = 0; made < SESSION_LIMITS.maxPerUserAndKind; made += 1) {
      under.clock.nowMs += 1;
      await under.signIn(userId, "Application");
    }
    for (let approved = 0; approved < 2; approved += 1) {
      assert.equal((await under.decide((await under.create()).token, cookie)).status, 200);
    }
    const sessions = await under.database.durable.selectFrom("sessions").select("id").execute();
    assert.equal(sessions.length, 1 + SESSION_LIMITS.maxPerUserAndKind);
  });
}
