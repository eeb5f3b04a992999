import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { OPENID_LIMITS } from "@backplane/contract/accounts";
import { startProvider } from "./provider.suite.ts";
import { createOpenidProvider } from "./provider.ts";

const FLOW = { state: "s", nonce: "n", verifier: "v".repeat(43), browser: "b", returnTo: "/", link: null };
const redirectUri = "http://localhost/auth/openid/callback";

/** A client of a provider that counts its requests and uses a test clock. */
async function prepare(t: TestContext, change: (issuer: string) => string = (issuer) => issuer) {
  const server = await startProvider(t, { redirectUri, people: {} });
  const clock = { nowMs: Date.now() };
  const asked: string[] = [];
  const provider = createOpenidProvider({
    openid: { ...server, issuer: change(server.issuer), name: "Example" },
    redirectUri,
    fetch: (url, init) => {
      asked.push(String(url));
      return fetch(url, init);
    },
    now: () => clock.nowMs,
  });
  return { server, provider, clock, asked };
}

test("the provider's metadata is fetched when needed, once for all who wait, and again after an hour", async (t) => {
  const { provider, clock, asked } = await prepare(t);
  assert.equal(asked.length, 0);
  await Promise.all(Array.from({ length: 8 }, () => provider.address(FLOW)));
  assert.equal(asked.length, 1);
  clock.nowMs += OPENID_LIMITS.discoveryLifeMs - 1;
  await provider.address(FLOW);
  assert.equal(asked.length, 1);
  clock.nowMs += 1;
  await provider.address(FLOW);
  assert.equal(asked.length, 2);
});

test("a failure is not remembered", async (t) => {
  const { server, provider } = await prepare(t);
  await server.stop();
  await Promise.all(Array.from({ length: 3 }, () => assert.rejects(provider.address(FLOW))));
  await server.restart();
  assert.ok((await provider.address(FLOW)).startsWith(server.issuer));
});

test("a provider without https is accepted only on this machine", async (t) => {
  const { provider, asked } = await prepare(t, () => "http://provider.example");
  await assert.rejects(provider.address(FLOW), { code: "OAUTH_HTTP_REQUEST_FORBIDDEN" });
  assert.deepEqual(asked, []);
});

test("a provider whose metadata names another issuer is refused", async (t) => {
  const { provider } = await prepare(t, (issuer) => issuer.replace("localhost", "127.0.0.1"));
  await assert.rejects(provider.address(FLOW), { code: "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED" });
});
