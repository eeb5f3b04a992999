import assert from "node:assert/strict";
import { test } from "node:test";
import { INTENT_LIFE_MS, INTENT_LIMITS } from "@backplane/contract/intents";
import { hashSecret } from "@backplane/kit/secrets";
import { EventReader } from "./event-reader.suite.ts";
import { OTHER, openStage, PROGRAM, refusalOf, type Stage, tokenIn, until } from "./intents-under-test.suite.ts";

/** The contract's rows about SSE. Streams are open at the first instance, approvals come to the last. */
export function streamContract(stage: Stage): void {
  const { name } = stage;

  test(`${name}: authenticated: JSON object with session_token, when approved; then the stream ends`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    const stream = await under.stream(token);
    assert.equal(stream.status, 200);
    assert.match(stream.headers["content-type"] ?? "", /^text\/event-stream/);
    assert.equal(stream.headers["cache-control"], "no-store, no-transform");
    assert.equal(stream.headers["x-accel-buffering"], "no");
    await stream.until(": ping\n");
    assert.equal((await under.decide(token, await under.signIn(await under.addUser()))).status, 200);
    const { event, data } = await stream.last();
    assert.equal(event, "authenticated");
    const { session_token, ...rest } = JSON.parse(data) as Record<string, string>;
    assert.deepEqual(rest, {});
    assert.equal(await tokenIn(await under.poll(token)), session_token);
    assert.match(await stream.ended(), /\nretry: 2000\nevent: authenticated\n/, "retry comes with the first event");
    assert.equal((await under.row(hashSecret(token))).consumer, PROGRAM);
    await until("nobody waits", () => under.first.intents.waiting() === 0);
  });

  test(`${name}: a stream opened on an authenticated intent gets authenticated at once`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    await under.decide(token, await under.signIn(await under.addUser()));
    const { event, data } = await (await under.stream(token)).last();
    assert.equal(event, "authenticated");
    assert.equal(await tokenIn(await under.poll(token)), (JSON.parse(data) as { session_token: string }).session_token);
    const other = await under.stream(token, OTHER);
    assert.equal(other.status, 403);
  });

  test(`${name}: timeout: no data; the intent expired. All open streams get it within a second, with an empty data line`, async (t) => {
    const under = await openStage(t, stage);
    const early = await under.create();
    under.clock.nowMs += 1_000;
    const late = await under.create();
    const streams = [await under.stream(early.token), await under.stream(early.token, OTHER)];
    const later = await under.stream(late.token);
    under.clock.nowMs += INTENT_LIFE_MS - 1_000 + 400;
    for (const stream of streams) assert.match(await stream.ended(), /\nevent: timeout\ndata:\n\n$/);
    assert.equal(under.first.intents.waiting(), 1, "a stream with time left keeps waiting");
    under.clock.nowMs += 1_000;
    assert.deepEqual(await later.last(), { event: "timeout", data: "" });
    assert.deepEqual(await refusalOf(await under.poll(early.token, PROGRAM, { accept: "text/event-stream" })), [
      410,
      "intent-expired",
    ]);
  });

  test(`${name}: a denial answers like expiry: timeout on open streams, 410 on new ones`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    const stream = await under.stream(token);
    await under.decide(token, await under.signIn(await under.addUser()), { decision: "deny" });
    assert.deepEqual(await stream.last(), { event: "timeout", data: "" });
    const again = await under.poll(token, PROGRAM, { accept: "text/event-stream" });
    assert.deepEqual(await refusalOf(again), [410, "intent-denied"]);
  });

  test(`${name}: of the streams of two callers one gets the token; the other ends without an event, and asking again gives the reason`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    const streams = [await under.stream(token), await under.stream(token, OTHER), await under.stream(token)];
    await under.decide(token, await under.signIn(await under.addUser()));
    const texts = await Promise.all(streams.map((stream) => stream.ended()));
    const got = texts.map((text) => text.includes("event: authenticated"));
    const { consumer } = await under.row(hashSecret(token));
    assert.deepEqual(got, consumer === PROGRAM ? [true, false, true] : [false, true, false]);
    const loser = consumer === PROGRAM ? OTHER : PROGRAM;
    assert.deepEqual(await refusalOf(await under.poll(token, loser)), [403, "caller-mismatch"]);
  });

  test(`${name}: streams per intent are limited, and one that leaves makes room`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    const streams = [];
    for (let open = 0; open < INTENT_LIMITS.maxStreamsPerIntent; open += 1) streams.push(await under.stream(token));
    const tooMany = await under.poll(token, PROGRAM, { accept: "text/event-stream" });
    assert.ok(Number(tooMany.headers.get("retry-after")) >= 1);
    assert.deepEqual(await refusalOf(tooMany), [429, "too-many-requests"]);
    streams.pop()?.leave();
    await until("it is gone", () => under.first.intents.waiting() === INTENT_LIMITS.maxStreamsPerIntent - 1);
    const another = await under.stream(token);
    assert.equal(another.status, 200);
    for (const stream of [...streams, another]) stream.leave();
    await until("all are gone", () => under.first.intents.waiting() === 0);
  });

  test(`${name}: an instance that stops ends its streams; the program connects to another and loses nothing`, async (t) => {
    const under = await openStage(t, stage);
    const doomed = await under.another();
    const { token } = await under.create();
    const headers = { "x-forwarded-for": PROGRAM };
    const stream = await EventReader.open(`${doomed.url}/auth/intents/${token}/status`, headers);
    doomed.intents.drain();
    assert.doesNotMatch(await stream.ended(), /event:/);
    const again = await under.stream(token);
    await doomed.stop();
    await under.decide(token, await under.signIn(await under.addUser()));
    assert.equal((await again.last()).event, "authenticated");
  });
}
