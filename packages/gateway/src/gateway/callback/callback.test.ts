import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { GATEWAY_LIMITS } from "@backplane/contract/gateway";
import { startGateway } from "../gateway-under-test.suite.ts";
import { LIBRARY_STATES } from "../library-states.suite.ts";

const JSON_PLEASE = { headers: { accept: "application/json" } };
const CODE = "4/0AY0e-g7 +&=ü".replace("ü", "~");

test("GET /callback with code and state: the owner gets callback with state, code and query, and a page says that the window can be closed", async (t) => {
  const { connect, callback } = await startGateway(t);
  const [client, other] = [await connect(), await connect()];
  const state = await client.register();
  await other.register();
  const response = await callback({ code: CODE, state, scope: "openid email", iss: "https://accounts.example" });
  assert.equal(response.status, 200);
  assert.match(await response.text(), /Code delivered[\s\S]*can close this window/);
  assert.deepEqual(await client.next(), {
    type: "callback",
    state,
    code: CODE,
    query: { code: CODE, state, scope: "openid email", iss: "https://accounts.example" },
  });
  await other.heardNothing();
});

test("states as libraries send them arrive unchanged, and a + in them need not be escaped", async (t) => {
  const { connect, callback, url } = await startGateway(t);
  const client = await connect();
  const plus = "aB3+dE6/hI9+kL2=";
  for (const state of [...Object.values(LIBRARY_STATES), plus]) {
    await client.register({ state });
    const response =
      state === plus ? await fetch(`${url}/callback?code=c&state=${plus}`) : await callback({ code: "c", state });
    assert.equal(response.status, 200, state);
    assert.deepEqual(await client.next(), { type: "callback", state, code: "c", query: { code: "c", state } });
  }
});

test("with Accept: application/json the same outcome comes as JSON, or as a problem", async (t) => {
  const { connect, callback } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  const delivered = await callback({ code: CODE, state }, JSON_PLEASE);
  assert.equal(delivered.headers.get("content-type"), "application/json; charset=utf-8");
  assert.deepEqual(await delivered.json(), { status: "delivered", provider: "google" });
  const used = await callback({ code: CODE, state }, JSON_PLEASE);
  assert.equal(used.headers.get("content-type"), "application/problem+json");
  const { type, title, status, code, instance } = (await used.json()) as Record<string, unknown>;
  assert.deepEqual(
    [type, title, status, code],
    ["urn:backplane:problem:state-used", "The application has already received its answer", 410, "state-used"],
  );
  assert.match(String(instance), /^[0-9a-f-]{36}$/);
});

test("400 when code or state is missing, repeated or malformed; the fault names it, and the state stays unused", async (t) => {
  const { connect, callback, url } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  const cases: [query: string, pointers: string[]][] = [
    ["", ["/state", "/code"]],
    [`state=${state}`, ["/code"]],
    ["code=c", ["/state"]],
    [`code=&state=${state}`, ["/code"]],
    ["code=c&state=short", ["/state"]],
    [`code=c&code=d&state=${state}`, ["/code"]],
    [`code=c&state=${state}&state=${state}`, ["/state"]],
    [`code=c&state=${state}&scope=a&scope=b`, [""]],
    [`code=%zz&state=${state}`, ["/code"]],
    [`code=%ff&state=${state}`, ["/code"]],
    [`code=%00&state=${state}`, ["/code"]],
    [`code=${"c".repeat(4097)}&state=${state}`, ["/code"]],
    [`code=c&error=access_denied&state=${state}`, ["/code"]],
    [`error=&state=${state}`, ["/error"]],
    [`error=access_denied`, ["/state"]],
    [`code=c&state=${state}&${Array.from({ length: 31 }, (_, i) => `p${i}=`).join("&")}`, [""]],
  ];
  for (const [query, pointers] of cases) {
    const response = await fetch(`${url}/callback?${query}`, JSON_PLEASE);
    assert.equal(response.status, 400, query);
    const { errors } = (await response.json()) as { errors: { pointer: string; message: string }[] };
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      pointers,
      query,
    );
    const page = await fetch(`${url}/callback?${query}`);
    assert.equal(page.status, 400);
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  }
  assert.equal((await callback({ code: "c", state })).status, 200);
});

test("parameter names have no meaning to the gateway: __proto__ and constructor are passed on unchanged", async (t) => {
  const { connect, url } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  assert.equal((await fetch(`${url}/callback?code=c&state=${state}&__proto__=x&constructor=y&toString`)).status, 200);
  const message = await client.next();
  const query = "query" in message ? Object.entries(message.query ?? {}) : [];
  assert.deepEqual(query, [
    ["code", "c"],
    ["state", state],
    ["__proto__", "x"],
    ["constructor", "y"],
    ["toString", ""],
  ]);
});

test("404 unknown, 410 used, 410 expired, each with its page", async (t) => {
  const { connect, callback, clock } = await startGateway(t);
  const client = await connect();
  const unknown = await callback({ code: "c", state: randomUUID() });
  assert.equal(unknown.status, 404);
  assert.equal(unknown.headers.get("retry-after"), "1");
  assert.match(await unknown.text(), /waiting/i);
  const state = await client.register();
  await callback({ code: "c", state });
  await client.next();
  const used = await callback({ code: "c", state });
  assert.equal(used.status, 410);
  assert.match(await used.text(), /Already delivered/);
  const late = await client.register();
  clock.nowMs += 600_000;
  const expired = await callback({ code: "c", state: late });
  assert.equal(expired.status, 410);
  assert.match(await expired.text(), /took too long/);
});

test("POST (form_post) does the same; any other body or method is refused", async (t) => {
  const { connect, url } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  const post = (body: string | URLSearchParams, headers: Record<string, string> = {}) =>
    fetch(`${url}/callback`, { method: "POST", body, headers });
  assert.equal((await post(JSON.stringify({ code: "c", state }), { "content-type": "application/json" })).status, 415);
  assert.equal(
    (await post(new URLSearchParams({ code: "c".repeat(GATEWAY_LIMITS.maxCallbackBytes), state }))).status,
    413,
  );
  for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
    const response = await fetch(`${url}/callback?code=c&state=${state}`, { method });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get("allow"), "GET, HEAD, POST");
  }
  assert.equal((await post(new URLSearchParams({ code: CODE, state, id: "ä" }))).status, 200);
  assert.deepEqual(await client.next(), { type: "callback", state, code: CODE, query: { code: CODE, state, id: "ä" } });
});

test("an address over 8 KiB is refused", async (t) => {
  const { url } = await startGateway(t);
  assert.equal((await fetch(`${url}/callback?x=${"y".repeat(GATEWAY_LIMITS.maxCallbackBytes)}`)).status, 414);
});

test("HEAD, prefetches, parts of other pages and link previews do not use up the state", async (t) => {
  const { connect, callback } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  const head = await callback({ code: "c", state }, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  const purposes: Record<string, string>[] = [
    { "sec-purpose": "prefetch" },
    { "sec-purpose": "prefetch;prerender" },
    { purpose: "prefetch" },
    { "x-purpose": "preview" },
    { "x-moz": "prefetch" },
    { "sec-fetch-dest": "image" },
    { "user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" },
    { "user-agent": "facebookexternalhit/1.1" },
  ];
  for (const headers of purposes) assert.equal((await callback({ code: "c", state }, { headers })).status, 503);
  await client.heardNothing();
  assert.equal((await callback({ code: "c", state })).status, 200);
});

test("every answer has Cache-Control: no-store, Referrer-Policy: no-referrer and a CSP that loads nothing foreign", async (t) => {
  const { connect, callback } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  for (const init of [{ method: "HEAD" }, JSON_PLEASE, {}, {}]) {
    const { headers } = await callback({ code: "c", state: init === JSON_PLEASE ? randomUUID() : state }, init);
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'.*frame-ancestors 'none'/);
    assert.doesNotMatch(headers.get("content-security-policy") ?? "", /https?:|\*|unsafe/);
    // It would cut a popup off from its opener, and applications would think that the user closed it.
    assert.equal(headers.get("cross-origin-opener-policy"), null);
  }
});

test("a provider's error: the owner gets error with the provider's code, description and query; the page says that the provider declined", async (t) => {
  const { connect, callback } = await startGateway(t);
  const client = await connect();
  const cases: [string, RegExp][] = [
    ["access_denied", /declined/],
    ["temporarily_unavailable", /refused/],
  ];
  for (const [error, heading] of cases) {
    const state = await client.register();
    const query = { error, error_description: "Not <b>on</b> the list", state };
    const response = await callback(query);
    assert.equal(response.status, 200);
    const page = await response.text();
    assert.match(page, heading);
    assert.match(page, /Not &lt;b&gt;on&lt;\/b&gt; the list/);
    assert.deepEqual(await client.next(), {
      type: "error",
      state,
      error,
      code: "provider-error",
      error_description: "Not <b>on</b> the list",
      query,
    });
    assert.equal((await callback({ code: "c", state })).status, 410);
  }
  const state = await client.register();
  const told = await callback({ error: "access_denied", state }, JSON_PLEASE);
  assert.deepEqual(await told.json(), { status: "declined", provider: "google", error: "access_denied" });
});

test("/callback/{provider} accepts only answers for that provider", async (t) => {
  const { connect, url } = await startGateway(t);
  const client = await connect();
  const state = await client.register({ provider: "parts & more" });
  assert.equal((await fetch(`${url}/callback/google?code=c&state=${state}`)).status, 400);
  assert.equal((await fetch(`${url}/callback/parts%20%26%20more?code=c&state=${state}`)).status, 200);
  for (const path of ["/callbacks", "/callback/a/b", "/callback/%zz"]) {
    assert.equal((await fetch(`${url}${path}?code=c&state=${state}`)).status, 501, "left to the other routes");
  }
});

test("ack: the page waits for the client's ack before it claims success", async (t) => {
  const { connect, callback } = await startGateway(t, { ackWaitMs: 5_000 });
  const client = await connect();
  const state = await client.register({ ack: true });
  let answered = false;
  const response = callback({ code: "c", state }).then((given) => {
    answered = true;
    return given;
  });
  assert.equal((await client.next()).type, "callback");
  await client.heardNothing();
  assert.equal(answered, false);
  client.send({ type: "ack", state });
  assert.equal((await response).status, 200);
});

test("without the promised ack the page does not claim success: 504 after at most 5 s", async (t) => {
  assert.equal(GATEWAY_LIMITS.ackWaitMs, 5_000);
  const { connect, callback } = await startGateway(t, { ackWaitMs: 40 });
  const client = await connect();
  const state = await client.register({ ack: true });
  const response = await callback({ code: "c", state });
  assert.equal(response.status, 504);
  assert.doesNotMatch(await response.text(), /Code delivered/);
  assert.equal((await callback({ code: "c", state })).status, 410);
});

test("a client that is lost before its ack, and comes back with its secret, gets the code from the page that asks again", async (t) => {
  const { connect, callback } = await startGateway(t, { ackWaitMs: 5_000 });
  const { hash } = await import("node:crypto");
  const secret = randomUUID();
  const challenge = hash("sha256", secret, "base64url");
  const first = await connect();
  const state = await first.register({ ack: true, challenge });
  const asked = callback({ code: "c", state });
  await first.next();
  first.socket.terminate();
  assert.equal((await asked).status, 404);
  const second = await connect();
  second.send({ type: "register", state, provider: "google", ack: true, challenge, secret });
  assert.equal((await second.next()).type, "registered");
  const again = callback({ code: "c", state });
  assert.equal((await second.next()).type, "callback");
  second.send({ type: "ack", state });
  assert.equal((await again).status, 200);
});

test("of 100 concurrent callbacks over HTTP, exactly one is answered 200, the others 410", async (t) => {
  const { connect, callback } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => (await callback({ code: `c${i}`, state })).status),
  );
  assert.equal(statuses.filter((status) => status === 200).length, 1);
  assert.equal(statuses.filter((status) => status === 410).length, 99);
  const message = await client.next();
  assert.equal(message.type === "callback" && message.code, `c${statuses.indexOf(200)}`);
  await client.heardNothing();
});
