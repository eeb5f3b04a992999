import assert from "node:assert/strict";
import { test } from "node:test";
import { OAuthError } from "./errors.ts";
import { challengeOf, createProof } from "./proof.ts";

test("the challenge is that of RFC 7636, appendix B", async () => {
  const challenge = await challengeOf("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
  assert.equal(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
});

test("every proof has its own secret, 256 bits in base64url", async () => {
  const proofs = await Promise.all(Array.from({ length: 50 }, () => createProof(OAuthError)));
  assert.equal(new Set(proofs.map(({ secret }) => secret)).size, 50);
  for (const { secret, challenge } of proofs) {
    assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
    assert.equal(challenge, await challengeOf(secret));
  }
});

test("on a page loaded over plain http, where browsers have no WebCrypto, it says what to do", async (t) => {
  const whole = globalThis.crypto;
  const insecure = { getRandomValues: (array: Uint8Array) => whole.getRandomValues(array) };
  t.mock.getter(globalThis, "crypto", () => insecure as typeof whole);
  const isClear = (error: unknown) =>
    error instanceof OAuthError && error.code === "no-webcrypto" && /https or from localhost/.test(error.message);
  await assert.rejects(createProof(OAuthError), isClear);
});
