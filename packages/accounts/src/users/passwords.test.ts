import assert from "node:assert/strict";
import { test } from "node:test";
import { boundPasswords, decoyHash, hashPassword, verifyPassword } from "./passwords.ts";

/** Hashes that end when the test says so. */
function slowHashes() {
  const ends: (() => void)[] = [];
  let underWay = 0;
  let most = 0;
  const hashPassword = async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise<void>((resolve) => ends.push(resolve));
    underWay -= 1;
    return "hash";
  };
  return { ends, most: () => most, passwords: { hashPassword, verifyPassword: async () => false } };
}

test("a few hashes run at once, a few wait, and one more is refused", async () => {
  const { ends, most, passwords } = slowHashes();
  const bounded = boundPasswords({ maxHashing: 2, maxWaitingForHash: 3 }, passwords);
  const under = Array.from({ length: 5 }, () => bounded.hashPassword("x"));
  await assert.rejects(bounded.hashPassword("x"), { code: "not-ready", status: 503 });
  for (let ended = 0; ended < 5; ended += 1) {
    ends.shift()?.();
    await Promise.race(under.splice(0, 1));
    await new Promise(setImmediate);
  }
  assert.equal(most(), 2);
  assert.equal(ends.length, 0);
  const afterwards = bounded.hashPassword("x");
  await new Promise(setImmediate);
  ends.shift()?.();
  assert.equal(await afterwards, "hash");
});

test("a hash that fails frees its place for the next", async () => {
  const failing = async () => {
    throw new Error("no memory");
  };
  const bounded = boundPasswords(
    { maxHashing: 1, maxWaitingForHash: 1 },
    { hashPassword: failing, verifyPassword: failing },
  );
  const [one, next] = [bounded.hashPassword("x"), bounded.verifyPassword("x", "y")];
  await assert.rejects(one, /no memory/);
  await assert.rejects(next, /no memory/);
  await assert.rejects(bounded.hashPassword("x"), /no memory/);
});

test("a hash has the strength that OWASP recommends", async () => {
  assert.match(await hashPassword("correct horse battery"), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test("a decoy looks like a real hash and matches no password", async () => {
  const form = (hash: string) => hash.replace(/[\w+/]+\$[\w+/]+$/, "").concat(String(hash.length));
  assert.equal(form(decoyHash()), form(await hashPassword("correct horse battery")));
  assert.equal(await verifyPassword("correct horse battery", decoyHash()), false);
  assert.equal(await verifyPassword("", decoyHash()), false);
});

test("a password is stored as argon2id with 19 MiB, two passes and a salt of its own", async () => {
  const password = "correct horse battery";
  const hashes = [await hashPassword(password), await hashPassword(password)];
  assert.notEqual(hashes[0], hashes[1]);
  for (const hash of hashes) {
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.equal(await verifyPassword(password, hash), true);
    assert.equal(await verifyPassword("correct horse batterx", hash), false);
  }
});
