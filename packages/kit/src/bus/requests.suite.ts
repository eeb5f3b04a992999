import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { OpenForTest } from "./bus-under-test.suite.ts";
import { MAX_MESSAGE_BYTES, MAX_PENDING_REQUESTS, MAX_REQUEST_TIMEOUT_MS } from "./limits.ts";

const LONG = { timeoutMs: 60_000 };
const AT_ONCE_MS = 5_000;

export function requestLaws(engine: string, open: OpenForTest): void {
  const rule = ruleTest(engine);

  test("a request gets the responder's reply, from the other end as well", async () => {
    await using under = await open();
    await under.one.respond("double", (message) => Number(message) * 2);
    assert.deepEqual(await under.one.request("double", 21, LONG), { ok: true, value: 42 });
    assert.deepEqual(await under.other.request("double", 4, LONG), { ok: true, value: 8 });
  });

  test("each of 500 requests at once gets its own reply", async () => {
    await using under = await open();
    await under.one.respond("echo", async (message) => ({ message }));
    const replies = await Promise.all(Array.from({ length: 500 }, (_, i) => under.other.request("echo", i, LONG)));
    assert.deepEqual(
      replies,
      Array.from({ length: 500 }, (_, i) => ({ ok: true, value: { message: i } })),
    );
  });

  test("with nobody listening a request ends at once, also after the responder has left", async () => {
    await using under = await open();
    const startMs = performance.now();
    const nobody = { ok: false, reason: "no-responder" };
    assert.deepEqual(await under.one.request("empty", 1, LONG), nobody);
    const leave = await under.other.respond("empty", () => "here");
    assert.deepEqual(await under.one.request("empty", 1, LONG), { ok: true, value: "here" });
    await leave();
    assert.deepEqual(await under.one.request("empty", 1, LONG), nobody);
    assert.ok(performance.now() - startMs < AT_ONCE_MS);
  });

  test("a subscriber does not answer requests, and a responder gets no messages", async () => {
    await using under = await open();
    let asked = 0;
    await under.other.subscribe("kinds", () => {});
    assert.deepEqual(await under.one.request("kinds", 1, LONG), { ok: false, reason: "no-responder" });
    await under.other.respond("kinds", () => {
      asked += 1;
    });
    await under.one.publish("kinds", 1);
    assert.deepEqual(await under.one.request("kinds", 1, LONG), { ok: true, value: null });
    assert.equal(asked, 1);
  });

  test("without a reply in time a request ends by time-out, and a late reply is ignored", async () => {
    await using under = await open();
    const { promise: late, resolve } = Promise.withResolvers<string>();
    await under.other.respond("slow", () => late);
    assert.deepEqual(await under.one.request("slow", 1, { timeoutMs: 50 }), { ok: false, reason: "timeout" });
    resolve("too late");
    await under.one.ping();
    assert.deepEqual(await under.one.request("slow", 1, LONG), { ok: true, value: "too late" });
  });

  test("of several responders the first reply wins", async () => {
    await using under = await open();
    const { promise: never, resolve } = Promise.withResolvers<string>();
    await under.one.respond("race", () => never);
    await under.other.respond("race", () => "first");
    assert.deepEqual(await under.one.request("race", 1, LONG), { ok: true, value: "first" });
    resolve("second");
  });

  test("when a responder fails, the requester learns only that; the reason goes to onFault", async () => {
    await using under = await open();
    const secret = new Error("password=hunter2");
    await under.other.respond("fails", async () => {
      throw secret;
    });
    const reply = await under.one.request("fails", 1, LONG);
    assert.deepEqual(reply, { ok: false, reason: "responder-failed" });
    assert.ok(!inspect(reply).includes("hunter2"));
    assert.deepEqual(
      under.faults.map(({ code, cause }) => ({ code, cause })),
      [{ code: "handler-failed", cause: secret }],
    );
  });

  test("a reply that cannot be sent counts as a failure of the responder", async () => {
    await using under = await open();
    const leave = await under.other.respond("bad", () => 1n);
    assert.deepEqual(await under.one.request("bad", 1, LONG), { ok: false, reason: "responder-failed" });
    await leave();
    await under.other.respond("bad", () => "x".repeat(MAX_MESSAGE_BYTES));
    assert.deepEqual(await under.one.request("bad", 1, LONG), { ok: false, reason: "responder-failed" });
    assert.equal(under.faults.length, 2);
  });

  rule("a request that cannot be sent, or whose time-out is outside its limits, is refused with its code", async () => {
    await using under = await open();
    await assert.rejects(under.one.request("bad", "x".repeat(MAX_MESSAGE_BYTES), LONG), { code: "too-large" });
    await assert.rejects(under.one.request("", 1, LONG), { code: "invalid" });
    for (const timeoutMs of [0, -1, Number.NaN, MAX_REQUEST_TIMEOUT_MS + 1]) {
      await assert.rejects(under.one.request("bad", 1, { timeoutMs }), { code: "invalid" });
    }
  });

  rule("the number of pending requests is limited", async () => {
    await using under = await open();
    const { promise, resolve } = Promise.withResolvers<string>();
    await under.other.respond("full", () => promise);
    const pending = Array.from({ length: MAX_PENDING_REQUESTS }, () => under.one.request("full", 1, LONG));
    await assert.rejects(under.one.request("full", 1, LONG), { code: "too-many" });
    resolve("done");
    const replies = await Promise.all(pending);
    assert.ok(replies.every((reply) => reply.ok));
    assert.deepEqual(await under.one.request("full", 1, LONG), { ok: true, value: "done" });
  });
}
