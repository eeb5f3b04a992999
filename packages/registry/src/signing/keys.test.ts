import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { isPublicKey, keyId, newSigningKey, publicKeyOf, readSigningKey } from "./keys.ts";

test("the id of a key is the first 16 hex digits of the sha256 of its 32 bytes", () => {
  const { id, key } = newSigningKey();
  const raw = Buffer.from(key, "base64url");
  assert.equal(raw.length, 32);
  assert.equal(id, createHash("sha256").update(raw).digest("hex").slice(0, 16));
  assert.equal(id, keyId(key));
});

test("the public part contains nothing of the private one", () => {
  assert.deepEqual(Object.keys(publicKeyOf(newSigningKey())).sort(), ["id", "key"]);
});

test("no two keys are the same", () => {
  assert.notEqual(newSigningKey().key, newSigningKey().key);
});

test("a stored signing key is read back", () => {
  const key = newSigningKey();
  assert.deepEqual(readSigningKey(JSON.parse(JSON.stringify({ ...key, comment: "mine" }))), key);
});

test("a signing key whose parts do not belong together is rejected", () => {
  const [one, other] = [newSigningKey(), newSigningKey()];
  for (const value of [
    undefined,
    null,
    "key",
    {},
    { ...one, id: other.id },
    { ...one, key: other.key },
    { ...one, privateKey: other.privateKey },
    { ...one, privateKey: "AAAA" },
    { id: one.id, key: one.key },
  ]) {
    assert.equal(readSigningKey(value), undefined);
  }
});

test("a public key has one spelling, 32 bytes and its own id", () => {
  const { id, key } = publicKeyOf(newSigningKey());
  assert.ok(isPublicKey({ id, key }));
  assert.ok(!isPublicKey({ id, key: `${key}=` }));
  assert.ok(!isPublicKey({ id: keyId("AAAA"), key: "AAAA" }));
  assert.ok(!isPublicKey({ id: id.toUpperCase().replace(/^/, "x"), key }));
  assert.ok(!isPublicKey(null));
});
