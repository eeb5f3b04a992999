import assert from "node:assert/strict";
import { request } from "node:http";
import { type TestContext, test } from "node:test";
import { guardWatchdog } from "./access.ts";
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

test("off loopback everything needs the token but health and readiness, also what was there before the guard", async (t) => {
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

test("a wrong token is told apart from none, and the right one is never logged", async (t) => {
  const { ask, lines } = await guarded(t);
  const wrong = await ask("/status", { ...ELSEWHERE, authorization: "Bearer nonsense" });
  assert.deepEqual([wrong.status, JSON.parse(wrong.body).code], [401, "watchdog-token-wrong"]);
  assert.match(wrong.challenge ?? "", /error="invalid_token"/);
  await ask("/status", { ...ELSEWHERE, authorization: `Bearer ${TOKEN}` });
  await ask(`/${TOKEN}`);
  assert.ok(lines.some((line) => line.includes('"answered"')));
  assert.doesNotMatch(lines.join(""), /cAnArY/);
});

test("on loopback nothing is needed; a page of another site is refused what changes something", async (t) => {
  const { ask } = await guarded(t);
  assert.equal((await ask("/status")).status, 200);
  assert.equal((await ask("/stop", {}, "POST")).status, 200);
  const foreign = await ask("/stop", { origin: "https://other.example" }, "POST");
  assert.deepEqual([foreign.status, JSON.parse(foreign.body).code], [403, "foreign-page"]);
});

test("a forwarded address counts when the proxy is trusted, and needs the token when it is not", async (t) => {
  const trusting = await guarded(t, ["127.0.0.1"]);
  const forwarded = (address: string) => ({ "x-forwarded-for": address });
  assert.equal((await trusting.ask("/status", forwarded("203.0.113.9"))).status, 401);
  assert.equal((await trusting.ask("/status", forwarded("127.0.0.1, 203.0.113.9"))).status, 401);
  assert.equal((await trusting.ask("/status", forwarded("127.0.0.1"))).status, 200);
  const wary = await guarded(t);
  assert.equal((await wary.ask("/status", forwarded("127.0.0.1"))).status, 401);
});

test("a person who opens it from elsewhere gets a page that says how to", async (t) => {
  const { ask } = await guarded(t);
  const refused = await ask("/", { ...ELSEWHERE, accept: "text/html,*/*;q=0.8" });
  assert.equal(refused.status, 401);
  assert.match(refused.type, /^text\/html/);
  assert.match(refused.body, /ssh -L 8796:localhost:8796/);
  assert.doesNotMatch(refused.body, /secret|tok_/);
});
