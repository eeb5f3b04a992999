import assert from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { INTENT_LIFE_MS, INTENT_LIMITS, POLL_INTERVAL_MS } from "@backplane/contract/intents";
import { hashSecret } from "@backplane/kit/secrets";
import { isLongRun } from "../../../scripts/testing/long.ts";
import { OTHER, openStage, PROGRAM, refusalOf, type Stage, tokenIn } from "./intents-under-test.suite.ts";

/** The contract's rows about retrieving the session token, and about who gets it. */
export function statusContract(stage: Stage): void {
  const { name } = stage;
  const newVerifier = () => {
    const verifier = randomBytes(32).toString("base64url");
    return { verifier, challenge: hash("sha256", verifier, "base64url") };
  };

  test(`${name}: polling: {state: pending} or {state: authenticated, session_token}; …/status/status answers the same`, async (t) => {
    const under = await openStage(t, stage);
    const { token, updates_url } = await under.create();
    const path = new URL(updates_url).pathname;
    for (const at of [path, `${path}/status`]) {
      const response = await under.call(under.first, at);
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
      assert.equal(response.headers.get("cache-control"), "no-store");
      assert.deepEqual(await response.json(), { state: "pending" });
    }
    await under.decide(token, await under.signIn(await under.addUser()));
    const sessionToken = await tokenIn(await under.call(under.first, path));
    const again = await under.call(under.last, `${path}/status`);
    assert.deepEqual(await again.json(), { state: "authenticated", session_token: sessionToken });
  });

  test(`${name}: an EventSource that got the token and connects again by itself is told to stop; a new one is told again`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    await under.decide(token, await under.signIn(await under.addUser()));
    const first = await (await under.stream(token)).ended();
    const id = /^id: (.*)$/m.exec(first)?.[1] ?? "";
    assert.notEqual(id, "");
    const again = { accept: "text/event-stream", "last-event-id": id };
    const stopped = await under.poll(token, PROGRAM, again);
    assert.deepEqual([stopped.status, await stopped.text()], [204, ""]);
    assert.equal(await (await under.stream(token)).ended(), first);
    assert.deepEqual(await refusalOf(await under.poll(token, OTHER, again)), [403, "caller-mismatch"]);
  });

  test(`${name}: first retrieval sets the consumed flag; later polls still return the token while the session exists`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create({ max_age: 7_200 });
    await under.decide(token, await under.signIn(await under.addUser()));
    const before = await under.row(hashSecret(token));
    assert.deepEqual([before.consumer, before.consumed_at_ms], [null, null]);
    const sessionToken = await tokenIn(await under.poll(token));
    const after = await under.row(hashSecret(token));
    assert.deepEqual([after.consumer, after.consumed_at_ms], [PROGRAM, under.clock.nowMs]);
    under.clock.nowMs += INTENT_LIFE_MS * 2;
    assert.equal(await tokenIn(await under.poll(token)), sessionToken, "expiry ends pending intents only");
    under.clock.nowMs += 7_200_000;
    assert.deepEqual(await refusalOf(await under.poll(token)), [410, "session-ended"]);
    assert.deepEqual(await refusalOf(await under.call(under.first, `/auth/intents/${token}`)), [410, "session-ended"]);
  });

  test(`${name}: the token of a session that was revoked, or whose account is gone, is not handed out`, async (t) => {
    const under = await openStage(t, stage);
    const userId = await under.addUser();
    const [one, other] = [await under.create(), await under.create()];
    const cookie = await under.signIn(userId);
    for (const { token } of [one, other]) await under.decide(token, cookie);
    const { session_id } = await under.row(hashSecret(one.token));
    await under.database.durable.deleteFrom("sessions").where("id", "=", session_id).execute();
    assert.deepEqual(await refusalOf(await under.poll(one.token)), [410, "session-ended"]);
    await under.database.durable.deleteFrom("users").where("id", "=", userId).execute();
    assert.equal((await under.poll(other.token)).status, 404, "the decisions of an account are removed with it");
  });

  test(`${name}: the intent cannot be consumed again by a different caller: 403 caller-mismatch, and the owner sees the attempt`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    await under.decide(token, await under.signIn(await under.addUser()));
    const sessionToken = await tokenIn(await under.poll(token));
    const { session_id } = await under.row(hashSecret(token));
    const refusedOf = () =>
      under.database.durable
        .selectFrom("sessions")
        .select(["refused_address", "refused_at_ms"])
        .where("id", "=", session_id)
        .executeTakeFirst();
    assert.deepEqual(await refusedOf(), { refused_address: null, refused_at_ms: null });
    const atMs = under.clock.nowMs;
    for (const againAfterMs of [0, 1_000]) {
      under.clock.nowMs = atMs + againAfterMs;
      assert.deepEqual(await refusalOf(await under.poll(token, OTHER)), [403, "caller-mismatch"]);
      assert.deepEqual(await refusedOf(), { refused_address: OTHER, refused_at_ms: atMs });
    }
    assert.equal(await tokenIn(await under.poll(token)), sessionToken);
    assert.equal(await tokenIn(await under.poll(token, `::ffff:${PROGRAM}`)), sessionToken);
  });

  test(`${name}: an IPv6 caller is its /64; the first to retrieve is the consumer, and the session shows its address`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create({}, "2001:db8:1:2::7");
    await under.decide(token, await under.signIn(await under.addUser()));
    const sessionToken = await tokenIn(await under.poll(token, "2001:db8:1:3::1"));
    assert.deepEqual(await refusalOf(await under.poll(token, "2001:db8:1:2::7")), [403, "caller-mismatch"]);
    assert.equal(await tokenIn(await under.poll(token, "2001:0db8:1:3:ffff::99")), sessionToken);
    const { session_id } = await under.row(hashSecret(token));
    const session = under.database.durable.selectFrom("sessions").select("address").where("id", "=", session_id);
    assert.equal((await session.executeTakeFirstOrThrow()).address, "2001:db8:1:3::/64");
  });

  test(`${name}: with a challenge, /status needs the verifier in X-Code-Verifier, even while pending; the address does not matter`, async (t) => {
    const under = await openStage(t, stage);
    const { verifier, challenge } = newVerifier();
    const { token } = await under.create({ code_challenge: challenge, code_challenge_method: "S256" });
    const right = { "x-code-verifier": verifier };
    const refusals = async () => {
      assert.deepEqual(await refusalOf(await under.poll(token)), [403, "verifier-needed"]);
      assert.deepEqual(await refusalOf(await under.poll(token, PROGRAM, { "x-code-verifier": "" })), [
        403,
        "verifier-needed",
      ]);
      for (const wrong of [newVerifier().verifier, challenge, "x".repeat(5_000)]) {
        const response = await under.poll(token, PROGRAM, { "x-code-verifier": wrong });
        assert.deepEqual(await refusalOf(response), [403, "verifier-mismatch"]);
      }
      const stream = await under.poll(token, PROGRAM, { accept: "text/event-stream" });
      assert.deepEqual(await refusalOf(stream), [403, "verifier-needed"]);
    };
    await refusals();
    assert.deepEqual(await (await under.poll(token, OTHER, right)).json(), { state: "pending" });
    await under.decide(token, await under.signIn(await under.addUser()));
    await refusals();
    assert.equal((await under.row(hashSecret(token))).consumer, null, "a refused call consumes nothing");
    const sessionToken = await tokenIn(await under.poll(token, OTHER, right));
    assert.equal(await tokenIn(await under.poll(token, PROGRAM, right)), sessionToken);
    assert.equal((await under.row(hashSecret(token))).consumer, "verifier");
  });

  test(`${name}: polling every 2 s is never refused; a flood gets 429 with Retry-After, and only for its caller`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    for (let polls = 0; polls < (isLongRun ? 300 : 60); polls += 1) {
      assert.equal((await under.poll(token)).status, 200);
      under.clock.nowMs += POLL_INTERVAL_MS;
    }
    for (let polls = 0; polls < INTENT_LIMITS.pollsPerTenSeconds; polls += 1) {
      assert.equal((await under.poll(token)).status, 200);
    }
    const response = await under.poll(token);
    assert.ok(Number(response.headers.get("retry-after")) >= 1);
    assert.deepEqual(await refusalOf(response), [429, "too-many-requests"]);
    assert.equal((await under.poll(token, OTHER)).status, 200);
    assert.equal((await under.poll((await under.create()).token)).status, 200);
    const looked = await under.call(under.first, `/auth/intents/${token}`);
    assert.deepEqual(
      await refusalOf(looked),
      [429, "too-many-requests"],
      "reading the intent does not get around the limit",
    );
    under.clock.nowMs += POLL_INTERVAL_MS;
    assert.equal((await under.poll(token)).status, 200);
  });
}
