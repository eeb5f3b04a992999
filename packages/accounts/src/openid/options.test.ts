import assert from "node:assert/strict";
import { test } from "node:test";
import { openFreshSqlite } from "../callers/open-sqlite.suite.ts";
import { startSite } from "../passkeys/site.suite.ts";
import { serveOpenid } from "./routes.ts";

test("the sign-in page learns what it can offer; without a provider it offers none", async (t) => {
  const { browser } = await startSite(t, openFreshSqlite, (app, parts, baseUrl) =>
    serveOpenid(app, { ...parts, openid: undefined, openRegistration: true, baseUrl, fetch }),
  );
  const answer = await browser().ask("/auth/options");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.deepEqual(await answer.json(), { open_registration: true, signed_in: false });
  for (const path of ["/auth/openid/start", "/auth/openid/callback", "/auth/openid/link"]) {
    assert.equal((await browser().ask(path)).status, 404);
  }
});

test("with a provider, the page learns its name and nothing else", async (t) => {
  const openid = { issuer: "https://provider.example", clientId: "id", clientSecret: "secret", name: "Example" };
  const { browser } = await startSite(t, openFreshSqlite, (app, parts, baseUrl) =>
    serveOpenid(app, { ...parts, openid, openRegistration: false, baseUrl, fetch }),
  );
  const answer = await browser().ask("/auth/options");
  assert.deepEqual(await answer.json(), { open_registration: false, signed_in: false, openid: { name: "Example" } });
});
