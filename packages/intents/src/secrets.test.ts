import assert from "node:assert/strict";
import { test } from "node:test";
import { CONFIRMATION_ALPHABET } from "@backplane/contract/intents";
import { newSecret } from "@backplane/kit/secrets";
import { isSameCode, newConfirmationCode, provesChallenge, sealToken, unsealToken } from "./secrets.ts";

test("a code is XXXX-XXXX, eight upper-case consonants, all equally likely", () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < 5_000; made += 1) {
    const code = newConfirmationCode();
    assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    for (const letter of code.replace("-", "")) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  const expected = (5_000 * 8) / CONFIRMATION_ALPHABET.length;
  for (const letter of CONFIRMATION_ALPHABET) assert.ok(Math.abs((counts.get(letter) ?? 0) - expected) < expected / 4);
});

test("random bytes that would favour some letters are drawn again", () => {
  const draws = [new Uint8Array(12).fill(255), new Uint8Array(12).fill(240), new Uint8Array(12).fill(239)];
  assert.equal(
    newConfirmationCode(() => draws.shift() ?? new Uint8Array()),
    "ZZZZ-ZZZZ",
  );
});

test("codes are compared without case, dashes, spaces, and nothing else", () => {
  for (const same of ["BCDF-GHJK", "bcdfghjk", " bc df – gh jk ", "BCDF—GHJK"])
    assert.ok(isSameCode(same, "BCDF-GHJK"), same);
  for (const other of ["", "BCDF", "BCDF-GHJL", "BCDF.GHJK"]) assert.ok(!isSameCode(other, "BCDF-GHJK"), other);
});

test("the verifier of RFC 7636, appendix B, proves its challenge", () => {
  const [verifier, challenge] = [
    "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  ];
  assert.ok(provesChallenge(verifier, challenge));
  for (const wrong of ["", challenge, verifier.toLowerCase(), `${verifier}=`, "x".repeat(200)]) {
    assert.ok(!provesChallenge(wrong, challenge), wrong);
  }
});

test("a sealed token opens with the intent's token and with no other", () => {
  const [intent, session] = [newSecret("int_"), newSecret("tok_")];
  const sealed = sealToken(intent, session);
  assert.equal(unsealToken(intent, sealed), session);
  assert.throws(() => unsealToken(newSecret("int_"), sealed));
  assert.ok(!Buffer.from(sealed, "base64url").includes(session.slice(4)));
  assert.notEqual(sealToken(intent, session), sealed, "no two look alike");
});

test("a sealed token that was changed or cut does not open", () => {
  const intent = newSecret("int_");
  const bytes = Buffer.from(sealToken(intent, newSecret("tok_")), "base64url");
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => unsealToken(intent, changed.toString("base64url")));
  }
  for (const length of [0, 12, 27, bytes.length - 1]) {
    assert.throws(() => unsealToken(intent, bytes.subarray(0, length).toString("base64url")));
  }
});
