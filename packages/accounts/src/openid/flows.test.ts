import assert from "node:assert/strict";
import { test } from "node:test";
import { flowCookies } from "./flows.ts";

const OURS = "o".repeat(43);
const PLANTED = "p".repeat(43);

test("over https a site in a frame, on a subdomain, cannot plant the cookie of a sign-in that it began", () => {
  const cookies = flowCookies("https://backplane.example");
  // Browsers accept this prefix only from the host itself, with this path and without a domain.
  assert.equal(cookies.set(OURS), `__Host-openid_flow=${OURS}; Max-Age=600; Path=/; HttpOnly; SameSite=Lax; Secure`);
  assert.match(cookies.ended, /^__Host-openid_flow=; Max-Age=0; Path=\/; .*Secure$/);
  assert.equal(cookies.read(`openid_flow=${PLANTED}`), undefined);
  assert.equal(cookies.read(`openid_flow=${PLANTED}; __Host-openid_flow=${OURS}`), OURS);
});

test("over plain http the cookie is limited to its own paths", () => {
  const cookies = flowCookies("http://localhost:8790");
  assert.equal(cookies.set(OURS), `openid_flow=${OURS}; Max-Age=600; Path=/auth/openid; HttpOnly; SameSite=Lax`);
  assert.equal(cookies.read(`a=1; openid_flow=${OURS}`), OURS);
  assert.equal(cookies.read(`not_openid_flow=${OURS}; openid_flow=${OURS}x`), undefined);
});
