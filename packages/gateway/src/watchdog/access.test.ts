import assert from "node:assert/strict";
import { request } from "node:http";
import { type TestContext, test } from "node:test";
import type { LocalCaller } from "@backplane/kit/http";
import { guardWatchdog, judge, type Verdict } from "./access.ts";
import { serveForTest } from "./watchdog-under-test.suite.ts";

const TOKEN = "tok_watchdog_cAnArY0123456789cAnArY0123456789";

async function guarded(t: TestContext, trustProxy: string[] = []) {
  const { port, lines } = await serveForTest(
    t,
    (app) => {
      guardWatchdog(app, { token: TOKEN, port: 8796, homeUrl: "http://localhost:8790" });
      app.get("/status", async () => ({ secret: true }));
      app.get("/", async () => "page");
      app.post("/stop", async () => ({ done: true }));
    },
    trustProxy,
  );
  /** `fetch` does not let a Host header be chosen. */
  function ask(path: string, headers: Record<string, string> = {}, method = "GET") {
    const { promise, resolve, reject } = Promise.withResolvers<{
      status: number;
      type: string;
      challenge: string | undefined;
      body: string;
    }>();
    request({ port, host: "127.0.0.1", path, method, headers }, async (response) => {
      const chunks = await Array.fromAsync(response.setEncoding("utf8"));
      resolve({
        status: response.statusCode ?? 0,
        type: response.headers["content-type"] ?? "",
        challenge: response.headers["www-authenticate"],
        body: chunks.join(""),
      });
    })
      .on("error", reject)
      .end();
    return promise;
  }
  return { ask, lines };
}
const ELSEWHERE = { host: "watchdog.example" };

test("except on loopback, everything but health and readiness needs the token, including routes added before the guard", async (t) => {
  const { ask } = await guarded(t);
  for (const path of ["/", "/status", "/metrics", "/no/such/page"]) {
    const refused = await ask(path, ELSEWHERE);
    assert.equal(refused.status, 401, path);
    assert.equal(refused.challenge, 'Bearer realm="watchdog"');
    assert.match(JSON.parse(refused.body).detail, /open http:\/\/localhost:8796\. .*watchdog-token in BACKPLANE_HOME/);
    const { status } = await ask(path, { ...ELSEWHERE, authorization: `Bearer ${TOKEN}` });
    assert.equal(status, path.startsWith("/no") ? 404 : 200, path);
  }
  for (const path of ["/health", "/ready"]) assert.equal((await ask(path, ELSEWHERE)).status, 200, path);
  assert.equal((await ask("/stop", ELSEWHERE, "POST")).status, 401);
});

test("a wrong token and a missing one get different errors, and the right one is never logged", async (t) => {
  const { ask, lines } = await guarded(t);
  const wrong = await ask("/status", { ...ELSEWHERE, authorization: "Bearer nonsense" });
  assert.deepEqual([wrong.status, JSON.parse(wrong.body).code], [401, "watchdog-token-wrong"]);
  assert.match(wrong.challenge ?? "", /error="invalid_token"/);
  await ask("/status", { ...ELSEWHERE, authorization: `Bearer ${TOKEN}` });
  await ask(`/${TOKEN}`);
  assert.ok(lines.some((line) => line.includes('"answered"')));
  assert.doesNotMatch(lines.join(""), /cAnArY/);
});

test("on loopback no token is needed; a page on another site cannot change anything", async (t) => {
  const { ask } = await guarded(t);
  assert.equal((await ask("/status")).status, 200);
  assert.equal((await ask("/stop", {}, "POST")).status, 200);
  const foreign = await ask("/stop", { origin: "https://other.example" }, "POST");
  assert.deepEqual([foreign.status, JSON.parse(foreign.body).code], [403, "foreign-page"]);
});

test("a forwarded address counts when the proxy is trusted; otherwise the token is needed", async (t) => {
  const trusting = await guarded(t, ["127.0.0.1"]);
  const forwarded = (address: string) => ({ "x-forwarded-for": address });
  assert.equal((await trusting.ask("/status", forwarded("203.0.113.9"))).status, 401);
  assert.equal((await trusting.ask("/status", forwarded("127.0.0.1, 203.0.113.9"))).status, 401);
  assert.equal((await trusting.ask("/status", forwarded("127.0.0.1"))).status, 200);
  const wary = await guarded(t);
  assert.equal((await wary.ask("/status", forwarded("127.0.0.1"))).status, 401);
});

test("a person who opens it from another machine gets a page that says how to get in", async (t) => {
  const { ask } = await guarded(t);
  const refused = await ask("/", { ...ELSEWHERE, accept: "text/html,*/*;q=0.8" });
  assert.equal(refused.status, 401);
  assert.match(refused.type, /^text\/html/);
  assert.match(refused.body, /ssh -L 8796:localhost:8796/);
  assert.doesNotMatch(refused.body, /secret|tok_/);
});

const HERE: LocalCaller = {
  method: "GET",
  peer: "127.0.0.1",
  address: "127.0.0.1",
  isForwardedByTrusted: false,
  headers: { host: "localhost:8796" },
};

type Row = [what: string, verdict: Verdict, caller: Partial<LocalCaller>];
const host = "localhost:8796";
const withToken = (token: string) => ({ host: "watchdog.example:8796", authorization: `Bearer ${token}` });

const ROWS: Row[] = [
  ["a program on this machine", "allowed", {}],
  ["a program on this machine over IPv6", "allowed", { peer: "::1", address: "::1", headers: { host: "[::1]:8796" } }],
  ["127.0.0.1 in the form of an IPv6 socket", "allowed", { peer: "::ffff:127.0.0.1", address: "::ffff:127.0.0.1" }],
  ["another machine", "token-needed", { peer: "192.0.2.7", address: "192.0.2.7" }],
  ["another machine that says Host: localhost", "token-needed", { peer: "10.0.0.7", address: "10.0.0.7" }],
  ["another machine with the token", "allowed", { peer: "192.0.2.7", address: "192.0.2.7", headers: withToken(TOKEN) }],
  [
    "another machine with a wrong token",
    "token-wrong",
    { peer: "192.0.2.7", address: "192.0.2.7", headers: withToken(`${TOKEN}x`) },
  ],
  ["a host name that somebody pointed here", "token-needed", { headers: { host: "rebound.example:8796" } }],
  ["a host name that begins like an address", "token-needed", { headers: { host: "127.0.0.1.example" } }],
  ["no Host header", "token-needed", { headers: {} }],
  ["a proxy that is not trusted", "token-needed", { headers: { host, "x-forwarded-for": "127.0.0.1" } }],
  ["a proxy with another header", "token-needed", { headers: { host, forwarded: "for=192.0.2.7" } }],
  ["a proxy with only a Via header", "token-needed", { headers: { host, via: "1.1 proxy" } }],
  [
    "another machine through a trusted proxy on this machine",
    "token-needed",
    { address: "192.0.2.7", isForwardedByTrusted: true, headers: { host, "x-forwarded-for": "192.0.2.7" } },
  ],
  [
    "this machine through a trusted proxy on this machine",
    "allowed",
    { isForwardedByTrusted: true, headers: { host, "x-forwarded-for": "127.0.0.1" } },
  ],
  [
    "the loopback of another machine, through a trusted proxy there",
    "token-needed",
    { peer: "10.0.0.5", isForwardedByTrusted: true, headers: { host, "x-forwarded-for": "127.0.0.1" } },
  ],
  [
    "a trusted proxy on this machine, called by a public name",
    "token-needed",
    {
      isForwardedByTrusted: true,
      headers: { host, "x-forwarded-for": "127.0.0.1", "x-forwarded-host": "watchdog.example" },
    },
  ],
  ["its own page", "allowed", { method: "POST", headers: { host, origin: "http://localhost:8796" } }],
  [
    "its own page, with Sec-Fetch-Site",
    "allowed",
    { method: "POST", headers: { host, origin: "http://localhost:8796", "sec-fetch-site": "same-origin" } },
  ],
  ["a person who resubmits a form", "allowed", { method: "POST", headers: { host, "sec-fetch-site": "none" } }],
  ["a page on another site", "foreign-page", { method: "POST", headers: { host, origin: "https://other.example" } }],
  ["a page on another port", "foreign-page", { method: "POST", headers: { host, origin: "http://localhost:3000" } }],
  [
    "its own page under another name",
    "foreign-page",
    { method: "POST", headers: { host, origin: "http://127.0.0.1:8796" } },
  ],
  ["a page without an origin", "foreign-page", { method: "POST", headers: { host, origin: "null" } }],
  ["a cross-site request", "foreign-page", { method: "POST", headers: { host, "sec-fetch-site": "cross-site" } }],
  ["a same-site request", "foreign-page", { method: "POST", headers: { host, "sec-fetch-site": "same-site" } }],
  ["another site with another method", "foreign-page", { method: "PUT", headers: { host, origin: "null" } }],
  ["a link on another site", "allowed", { headers: { host, "sec-fetch-site": "cross-site" } }],
  ["a token that is not needed and is wrong", "allowed", { headers: { host, authorization: "Bearer x" } }],
  [
    "a page of another site, by a proxy that adds the token",
    "foreign-page",
    { method: "POST", headers: { host, authorization: `Bearer ${TOKEN}`, "sec-fetch-site": "cross-site" } },
  ],
  [
    "its own page, by a proxy that adds the token",
    "allowed",
    {
      method: "POST",
      headers: {
        ...{ host, authorization: `Bearer ${TOKEN}` },
        ...{ origin: "https://watchdog.example", "sec-fetch-site": "same-origin" },
      },
    },
  ],
  ["another scheme", "token-needed", { headers: { host: "a.example", authorization: `Basic ${TOKEN}` } }],
];

for (const [what, verdict, caller] of ROWS) {
  test(`${what}: ${verdict}`, () => assert.equal(judge({ ...HERE, ...caller }, TOKEN), verdict));
}
