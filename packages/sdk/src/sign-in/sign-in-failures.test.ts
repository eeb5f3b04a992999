import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PROGRAM } from "../request.ts";
import { SIGN_IN_LIMITS } from "./limits.ts";
import {
  AUTHENTICATED,
  approved,
  DENIED,
  INTENT,
  intent,
  pending,
  QUICK,
  type Script,
  SESSION,
  sendJson,
  startScriptedPlatform,
  stream,
} from "./scripted-platform.suite.ts";
import { type SignInOptions, signIn, signInWithin } from "./sign-in.ts";
import { failsWith } from "./sign-in-setup.suite.ts";

const onUrl = () => {};

test("a wrong option is named before any request is sent", async () => {
  const refuses = (options: Partial<Record<keyof SignInOptions, unknown>>, field: string) =>
    assert.rejects(
      signIn({ baseUrl: "http://127.0.0.1:1", onUrl, ...options } as SignInOptions),
      failsWith("invalid-option", { field }),
    );
  for (const baseUrl of [
    undefined,
    "",
    "localhost:8790",
    "ftp://localhost",
    "http://a:c4nary@localhost",
    "http://localhost/?a=c4nary",
  ]) {
    await refuses({ baseUrl }, "baseUrl");
  }
  await refuses({ baseUrl: "http://backplane.example" }, "baseUrl");
  await refuses({ onUrl: undefined }, "onUrl");
  for (const maxAge of [59, 31_536_001, 60.5, Number.NaN, "60"]) await refuses({ maxAge }, "maxAge");
  for (const appName of ["", "x".repeat(81), 7]) await refuses({ appName }, "appName");
  for (const timeoutMs of [0, -1, 2 ** 31]) await refuses({ timeoutMs }, "timeoutMs");
});

test("plain http to another machine works with allowHttp", async () => {
  const limits = { ...QUICK, createWithinMs: 0 };
  const signingIn = signInWithin(limits, { baseUrl: "http://backplane.invalid", allowHttp: true, onUrl });
  await assert.rejects(signingIn, failsWith("unreachable"));
});

test("it says so when nothing answers", async () => {
  const platform = await startScriptedPlatform(pending);
  await platform[Symbol.asyncDispose]();
  const limits = { ...QUICK, createWithinMs: 100 };
  await assert.rejects(signInWithin(limits, { baseUrl: platform.url, onUrl }), (error: Error) => {
    assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)\./);
    return failsWith("unreachable")(error);
  });
});

test("creating is tried again after 5xx and lost connections, as when Backplane restarts", async () => {
  const gone = await startScriptedPlatform(approved);
  await gone[Symbol.asyncDispose]();
  await using stack = new AsyncDisposableStack();
  let requests = 0;
  const shown: unknown[] = [];
  const signedIn = await signInWithin(
    { ...QUICK, createWithinMs: 60_000 },
    {
      baseUrl: gone.url,
      onUrl: (link) => shown.push(link),
      async fetch(...request) {
        requests += 1;
        if (requests <= 2) return Response.json({}, { status: requests === 1 ? 502 : 503 });
        // Until then, connections are refused.
        if (requests === 5) stack.use(await startScriptedPlatform(approved, Number(new URL(gone.url).port)));
        return fetch(...request);
      },
    },
  );
  assert.deepEqual([signedIn.sessionToken, shown.length], [SESSION, 1]);
});

test("creating is not tried again for ever, nor after a refusal, nor earlier than Retry-After says", async () => {
  const asks = async (status: number, headers = {}) => {
    let requests = 0;
    const fetch = async () => {
      requests += 1;
      return Response.json({}, { status, headers });
    };
    const limits = { ...QUICK, createWithinMs: 200 };
    await assert.rejects(signInWithin(limits, { baseUrl: "http://localhost:1", onUrl, fetch }));
    return requests;
  };
  // After 20, 40 and 80 ms; on a busy machine fewer.
  assert.ok((await asks(503)) <= 4);
  for (const status of [404, 422, 429]) assert.equal(await asks(status), 1);
  assert.equal(await asks(503, { "retry-after": "1" }), 1);
});

const failsAtPoll = async (script: Script, ...expected: Parameters<typeof failsWith>) => {
  await using platform = await startScriptedPlatform(script);
  await assert.rejects(signInWithin(QUICK, { baseUrl: platform.url, onUrl }), failsWith(...expected));
};

test("a poll response that is not OK is a failure", async () => {
  const answers =
    (status: number, body: unknown): Script =>
    ({ response }) =>
      sendJson(response, status, body);
  await failsAtPoll(answers(404, { code: "intent-unknown", title: "Unknown" }), "refused", { status: 404 });
  await failsAtPoll(answers(410, { code: "intent-expired" }), "expired", { problemCode: "intent-expired" });
  await failsAtPoll(answers(410, "gone"), "expired", { problemCode: undefined });
  await failsAtPoll(answers(410, DENIED), "denied", { problemCode: "intent-denied" });
  await failsAtPoll(answers(403, { code: "caller-mismatch", detail: `No: ${INTENT}` }), "refused", {
    problemCode: "caller-mismatch",
    message: "No: ….",
  });
});

test("a state other than pending or authenticated is unexpected", async () => {
  const bodies = [{ state: "denied" }, { state: 1 }, {}, [], null, "pending", { state: "authenticated" }];
  for (const body of [...bodies, { state: "authenticated", session_token: "c4nary\r\nx: y" }]) {
    await failsAtPoll(({ response }) => sendJson(response, 200, body), "unexpected-answer", { status: 200 });
  }
  await failsAtPoll(({ response }) => response.end("<html>"), "unexpected-answer");
  await failsAtPoll(({ response }) => response.end(" ".repeat(2 ** 20 + 1)), "unexpected-answer");
});

test("it tries again after 429 and 5xx, but not endlessly after 5xx", async () => {
  await using platform = await startScriptedPlatform((call) => {
    const { what, response, nth } = call;
    if (what === "stream") sendJson(response, 503, {});
    else if (nth < 4) sendJson(response, 429, {}, { "retry-after": "0" });
    else if (nth < 8) sendJson(response, 502, {});
    else approved(call);
  });
  assert.equal((await signInWithin(QUICK, { baseUrl: platform.url, onUrl })).sessionToken, SESSION);
  await failsAtPoll(({ response }) => sendJson(response, 503, {}), "temporary", { status: 503 });
});

test("an intent that lacks a field, or has an address that is not a web address, is not shown", async () => {
  const platform = await startScriptedPlatform(pending);
  await using _ = platform;
  const good = intent(platform.url);
  for (const change of [
    { token: undefined },
    { token: "../x" },
    { auth_url: "javascript:alert(1)" },
    { auth_url: "file:///etc/passwd" },
    { confirmation_code: "\x1b[2J" },
    { expires_at: "soon" },
    { expires_at: good.created_at },
    { requested_max_age: "long" },
  ]) {
    const answer = Response.json({ ...good, ...change }, { status: 201 });
    const shown: unknown[] = [];
    const signingIn = signIn({ baseUrl: platform.url, fetch: async () => answer, onUrl: (link) => shown.push(link) });
    await assert.rejects(signingIn, failsWith("unexpected-answer"));
    assert.deepEqual(shown, []);
  }
});

test("it says why an intent was refused", async () => {
  const answers = (status: number, body: unknown, headers = {}) =>
    signIn({ baseUrl: "http://localhost:1", onUrl, fetch: async () => Response.json(body, { status, headers }) });
  await assert.rejects(answers(422, { code: "invalid-input", detail: "max_age is too large" }), (error: Error) => {
    assert.equal(error.message, "max_age is too large.");
    return failsWith("refused", { problemCode: "invalid-input", status: 422 })(error);
  });
  await assert.rejects(answers(404, {}), failsWith("refused"));
  await assert.rejects(answers(429, {}, { "retry-after": "7" }), failsWith("temporary", { retryAfterMs: 7_000 }));
});

test("the signal ends it at any moment, and nothing is left open", async () => {
  const reason = new Error("enough");
  await assert.rejects(
    signIn({ baseUrl: "http://localhost:1", onUrl, signal: AbortSignal.abort(reason) }),
    failsWith("aborted", { cause: reason }),
  );
  const stop = new AbortController();
  const closed = Promise.withResolvers<void>();
  await using platform = await startScriptedPlatform((call) => {
    call.response.once("close", () => closed.resolve());
    stream(call);
  });
  const onState = () => stop.abort(reason);
  const signingIn = signIn({ baseUrl: platform.url, onUrl, onState, signal: stop.signal });
  await assert.rejects(signingIn, failsWith("aborted", { cause: reason }));
  await closed.promise;
});

test("signIn rejects with what onUrl throws or rejects with", async () => {
  await using platform = await startScriptedPlatform((call) => stream(call));
  const fault = new Error("no screen");
  const throws = () => {
    throw fault;
  };
  await assert.rejects(signIn({ baseUrl: platform.url, onUrl: throws }), fault);
  await assert.rejects(signIn({ baseUrl: platform.url, onUrl: async () => throws() }), fault);
});

test("a time-out is not the same as an expired link", async () => {
  await using platform = await startScriptedPlatform((call) => stream(call));
  const signingIn = signIn({ baseUrl: platform.url, onUrl, timeoutMs: 50 });
  await assert.rejects(
    signingIn,
    failsWith("timed-out", { message: "Nobody approved the sign-in within 0.05 s. Start again." }),
  );
});

test("the wait ends with the intent by the local clock, even if the server says nothing", async () => {
  const within = (script: Script) => startScriptedPlatform(script);
  // The server's clock is years off: only the difference between its two times counts.
  const fetchShort =
    (url: string): typeof fetch =>
    async (input, init) => {
      if (init?.method !== "POST") return fetch(input, init);
      return Response.json(intent(url, 50), { status: 201 });
    };
  const limits = { ...QUICK, expiryGraceMs: 500 };
  await using live = await within((call) => stream(call));
  await assert.rejects(
    signInWithin(limits, { baseUrl: live.url, onUrl, fetch: fetchShort(live.url) }),
    failsWith("expired"),
  );
  const away = await within(pending);
  await away[Symbol.asyncDispose]();
  await assert.rejects(
    signInWithin(limits, { baseUrl: away.url, onUrl, fetch: fetchShort(away.url) }),
    failsWith("unreachable"),
  );
});

test("a listener that throws does not lose the session", async () => {
  await using platform = await startScriptedPlatform((call) => stream(call, AUTHENTICATED));
  const onState = () => {
    throw new Error("listener");
  };
  assert.equal((await signIn({ baseUrl: platform.url, onUrl, onState })).sessionToken, SESSION);
});

test("it sends its name for the approval page: program, system and Node", async () => {
  await using platform = await startScriptedPlatform((call) => stream(call, AUTHENTICATED));
  await signIn({ baseUrl: platform.url, onUrl });
  for (const { request } of platform.calls) {
    assert.match(String(request.headers["user-agent"]), /^backplane-sdk\/[\d.]+ \([a-z0-9]+; node \d+\)$/);
  }
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  assert.equal(PROGRAM, `backplane-sdk/${version}`);
});

test("the limits are the contract's", async () => {
  const contract = await import("@backplane/contract/intents");
  assert.equal(SIGN_IN_LIMITS.pollMs, contract.POLL_INTERVAL_MS);
  assert.equal(SIGN_IN_LIMITS.minMaxAgeS, contract.MIN_MAX_AGE_S);
  assert.equal(SIGN_IN_LIMITS.maxMaxAgeS, contract.MAX_MAX_AGE_S);
  assert.equal(SIGN_IN_LIMITS.maxAppNameLength, contract.INTENT_LIMITS.maxAppNameLength);
});
