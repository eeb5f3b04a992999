import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { Problem } from "../problems.ts";
import { openToAnyOrigin } from "./any-origin.ts";
import { createApp } from "./app.ts";

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
  return app;
}

const origin = "https://elsewhere.example";

test("a page of any origin may read an open route, and is told so before it asks", async () => {
  await using app = await openApp();
  const answer = await app.inject({ method: "GET", url: "/open/1", headers: { origin } });
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  const preflight = await app.inject({ method: "OPTIONS", url: "/open/1", headers: { origin } });
  assert.equal(preflight.statusCode, 204);
  assert.equal(preflight.headers["access-control-allow-methods"], "GET");
  assert.match(String(preflight.headers["access-control-allow-headers"]), /authorization.*x-code-verifier/);
});

test("credentials are never allowed along, and neither are other methods or routes", async () => {
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
