import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT_LIMITS, NAME_PATTERN } from "@backplane/contract/accounts";
import { displayName, nameCandidates, verifiedEmail } from "./account.ts";

const first = (claims: Record<string, unknown>) => nameCandidates(claims, () => "r").next().value;

test("a name is derived from the person's name at the provider, and made valid", () => {
  assert.equal(first({ preferred_username: "ada", email: "x@example.org" }), "ada");
  assert.equal(first({ preferred_username: "ada@example.org" }), "ada");
  assert.equal(first({ email: "ada.lovelace@example.org" }), "ada.lovelace");
  assert.equal(first({ name: "Ada Lovelace" }), "Ada-Lovelace");
  assert.equal(first({ preferred_username: "Élodie Müller" }), "Elodie-Muller");
  assert.equal(first({ preferred_username: "-._ada_.-" }), "ada");
  assert.equal(first({ preferred_username: "../../etc" }), "etc");
  assert.equal(first({ preferred_username: "愛", email: "ai@example.org" }), "ai");
  assert.equal(first({ preferred_username: 7, email: null, name: "!!!" }), "person");
});

test("every name that is tried is valid, and they all differ", () => {
  for (const preferred_username of ["ada", "a".repeat(500), `${"a".repeat(31)}-b`, "\u0000", `${"x".repeat(31)}é`]) {
    let count = 0;
    const names = [...nameCandidates({ preferred_username }, () => `0123456${count++}`)];
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.match(name, new RegExp(NAME_PATTERN));
  }
});

test("an email address counts only when the provider has verified it", () => {
  assert.equal(verifiedEmail({ email: "ada@example.org", email_verified: true }), "ada@example.org");
  assert.equal(verifiedEmail({ email: "ada@example.org" }), undefined);
  assert.equal(verifiedEmail({ email: "ada@example.org", email_verified: "true" }), undefined);
  assert.equal(verifiedEmail({ email: "not an address", email_verified: true }), undefined);
  assert.equal(verifiedEmail({ email: `${"a".repeat(300)}@example.org`, email_verified: true }), undefined);
  assert.equal(verifiedEmail({ email: ["ada@example.org"], email_verified: true }), undefined);
});

test("a display name is plain text with a maximum length", () => {
  assert.equal(displayName({ name: " Ada\u0000\n Lovelace\u202e " }), "Ada Lovelace");
  assert.equal(displayName({ name: "😀".repeat(200) }).length, ACCOUNT_LIMITS.maxDisplayNameLength);
  assert.ok(displayName({ name: `${"a".repeat(ACCOUNT_LIMITS.maxDisplayNameLength - 1)}😀` }).isWellFormed());
  assert.equal(displayName({ name: {} }), "");
});
