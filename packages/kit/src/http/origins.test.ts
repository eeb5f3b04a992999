import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseForeignPage } from "@backplane/kit/http";
import { fastify } from "fastify";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { Problem } from "../problems.ts";
import { createApp } from "./app.ts";
import { useProblems } from "./errors.ts";
import { openToAnyOrigin, openToOrigins } from "./origins.ts";

type Asked = { method?: "GET" | "POST" | "DELETE"; headers?: Record<string, string>; trustProxy?: boolean };

async function ask({ method = "POST", headers = {}, trustProxy = false }: Asked) {
  const app = fastify({ trustProxy });
  useProblems(app);
  app.route({ method: ["GET", "POST", "DELETE"], url: "/", handler: async (request) => refuseForeignPage(request) });
  const response = await app.inject({ method, url: "/", headers: { host: "localhost:8790", ...headers } });
  return response.statusCode === 200 ? "allowed" : (response.json() as { code: string }).code;
}

for (const [what, asked, answer] of [
  ["a request without these headers is not from a browser", {}, "allowed"],
  ["a page of its own", { headers: { "sec-fetch-site": "same-origin", origin: "http://localhost:8790" } }, "allowed"],
  ["its own page, by an old browser", { headers: { origin: "http://localhost:8790" } }, "allowed"],
  [
    "its own page, through 127.0.0.1",
    { headers: { host: "127.0.0.1:8790", origin: "http://127.0.0.1:8790" } },
    "allowed",
  ],
  ["a page of 127.0.0.1 asks localhost", { headers: { origin: "http://127.0.0.1:8790" } }, "foreign-page"],
  [
    "a page of another port",
    { headers: { "sec-fetch-site": "same-site", origin: "http://localhost:3000" } },
    "foreign-page",
  ],
  [
    "another site",
    { headers: { "sec-fetch-site": "cross-site", origin: "https://elsewhere.example" } },
    "foreign-page",
  ],
  ["another site, by an old browser", { headers: { origin: "https://elsewhere.example" } }, "foreign-page"],
  ["another site that hides its origin", { headers: { origin: "null" } }, "foreign-page"],
  ["another site, without an origin", { headers: { "sec-fetch-site": "cross-site" } }, "foreign-page"],
  ["a value that is not known yet", { headers: { "sec-fetch-site": "other" } }, "foreign-page"],
  ["the other scheme", { headers: { origin: "https://localhost:8790" } }, "foreign-page"],
  ["a name that only begins the same", { headers: { origin: "http://localhost:87901" } }, "foreign-page"],
  ["a change that no page asks for", { headers: { "sec-fetch-site": "none" } }, "foreign-page"],
  ["a person who opens a bookmark", { method: "GET", headers: { "sec-fetch-site": "none" } }, "allowed"],
  ["a link of another site", { method: "GET", headers: { "sec-fetch-site": "cross-site" } }, "foreign-page"],
  ["a removal by another site", { method: "DELETE", headers: { "sec-fetch-site": "cross-site" } }, "foreign-page"],
  [
    "its own page, behind a proxy that is trusted",
    {
      trustProxy: true,
      headers: { "x-forwarded-proto": "https", "x-forwarded-host": "Box.example", origin: "https://box.example" },
    },
    "allowed",
  ],
  [
    "its own page, behind a proxy that names the usual port too",
    {
      trustProxy: true,
      headers: { "x-forwarded-proto": "https", "x-forwarded-host": "box.example:443", origin: "https://box.example" },
    },
    "allowed",
  ],
  ["its own page, by the usual port", { headers: { host: "box:80", origin: "http://box" } }, "allowed"],
  ["the other scheme's usual port", { headers: { host: "box:443", origin: "http://box" } }, "foreign-page"],
  [
    "a proxy that is not trusted",
    { headers: { "x-forwarded-proto": "https", "x-forwarded-host": "box.example", origin: "https://box.example" } },
    "foreign-page",
  ],
] as const satisfies readonly (readonly [string, Asked, string])[]) {
  test(`${what}: ${answer}`, async () => {
    assert.equal(await ask(asked), answer);
  });
}

const origin = "https://elsewhere.example";

async function openApp() {
  const app = await createApp({
    log: createLog({ process: "test", level: "silent", destination: { write: () => {} } }),
    metrics: createMetrics("test"),
    now: () => 0,
    readiness: { checks: {}, isDraining: () => false },
    trustProxy: [],
    overHttps: false,
  });
  openToAnyOrigin(app, [{ url: "/open/:id", methods: ["GET"] }]);
  app.get("/open/:id", async () => ({ fine: true }));
  app.delete("/open/:id", async () => {
    throw new Problem("not-signed-in");
  });
  app.get("/closed", async () => ({ fine: true }));
  for (const [path, origins] of [
    ["/some", [origin, "http://localhost:3000"]],
    ["/any", undefined],
    ["/none", []],
  ] as const) {
    await openToOrigins(app, origins, async (scope) => {
      scope.addHook("onRequest", async ({ headers }) => {
        if (headers["x-api-key"] === undefined) throw new Problem("not-signed-in");
      });
      scope.patch(`${path}/:id`, async () => ({ fine: true }));
    });
  }
  return app;
}

test("a page of any origin may read an open route, and its preflight request says so", async () => {
  await using app = await openApp();
  const answer = await app.inject({ method: "GET", url: "/open/1", headers: { origin } });
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  const preflight = await app.inject({ method: "OPTIONS", url: "/open/1", headers: { origin } });
  assert.equal(preflight.statusCode, 204);
  assert.equal(preflight.headers["access-control-allow-methods"], "GET");
  assert.match(String(preflight.headers["access-control-allow-headers"]), /authorization.*x-code-verifier/);
});

test("credentials are never allowed, and neither are other methods or routes", async () => {
  await using app = await openApp();
  for (const [method, url] of [
    ["GET", "/open/1"],
    ["OPTIONS", "/open/1"],
    ["DELETE", "/open/1"],
    ["GET", "/closed"],
  ] as const) {
    const { headers } = await app.inject({ method, url, headers: { origin } });
    assert.equal(headers["access-control-allow-credentials"], undefined);
    if (method === "DELETE" || url === "/closed") assert.equal(headers["access-control-allow-origin"], undefined);
  }
  assert.notEqual((await app.inject({ method: "OPTIONS", url: "/closed", headers: { origin } })).statusCode, 204);
});

test("routes can be open to pages of some origins, by a credential that they send themselves", async () => {
  await using app = await openApp();
  const ask = (url: string, from: string, more: Record<string, string> = {}, method: "PATCH" | "OPTIONS" = "PATCH") =>
    app.inject({ method, url, headers: { origin: from, ...more } });
  for (const [url, from, allowed] of [
    ["/some/1", origin, origin],
    ["/some/1", "http://localhost:3000", "http://localhost:3000"],
    ["/some/1", "http://localhost:3001", undefined],
    ["/some/1", "null", undefined],
    ["/any/1", origin, "*"],
    ["/none/1", origin, undefined],
  ] as const) {
    const answer = await ask(url, from, { "x-api-key": "mine" });
    assert.deepEqual([answer.statusCode, answer.headers["access-control-allow-origin"]], [200, allowed], url);
    const refused = await ask(url, from);
    assert.deepEqual([refused.statusCode, refused.headers["access-control-allow-origin"]], [401, allowed], "readable");
    const preflight = await ask(url, from, {}, "OPTIONS");
    assert.equal(preflight.statusCode, url === "/none/1" ? 405 : allowed === undefined ? 404 : 204);
    assert.equal(preflight.headers["access-control-allow-origin"], allowed);
    if (allowed !== undefined) {
      assert.equal(preflight.headers["access-control-allow-methods"], "PATCH");
      assert.match(String(preflight.headers["access-control-allow-headers"]), /authorization.*if-match.*x-api-key/);
    }
    for (const { headers } of [answer, refused, preflight]) {
      assert.equal(headers["access-control-allow-credentials"], undefined);
    }
  }
});
