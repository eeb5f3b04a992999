import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { namesIn, tokenFileName } from "./token-file.ts";

test("ordinary names stay readable in the file name", () => {
  assert.equal(tokenFileName("google", "ada"), "google.ada.json");
  assert.equal(tokenFileName("google", "Ada@example.com"), "google.%41da%40example%2ecom.json");
});

const anything = fc.string({ unit: "binary", minLength: 1, maxLength: 300 });

test("whatever the names, the file stays in its folder and its name is valid on every file system", () => {
  fc.assert(
    fc.property(anything, anything, (provider, user) => {
      const name = tokenFileName(provider, user);
      assert.match(name, /^[a-z0-9_%~-]+\.[a-z0-9_%~-]+\.json$/);
      assert.ok(name.length <= 140);
    }),
  );
});

test("no two users share a file, not even on file systems that ignore case", () => {
  fc.assert(
    fc.property(anything, anything, anything, anything, (provider, user, otherProvider, otherUser) => {
      const isSame = provider === otherProvider && user === otherUser;
      const [one, other] = [tokenFileName(provider, user), tokenFileName(otherProvider, otherUser)];
      assert.equal(one.toLowerCase() === other.toLowerCase(), isSame);
    }),
  );
  const pairs: [string, string, string, string][] = [
    ["a", "b.c", "a.b", "c"],
    ["a", "Bob", "a", "bob"],
    ["a", "%41", "a", "A"],
    ["a", "x".repeat(65), "a", "x".repeat(66)],
    ["a", "é", "a", "e\u0301"],
  ];
  for (const [provider, user, otherProvider, otherUser] of pairs) {
    assert.notEqual(tokenFileName(provider, user), tokenFileName(otherProvider, otherUser));
  }
});

test("both names can be read back from the file name, unless one is only a hash in it", () => {
  fc.assert(
    fc.property(anything, anything, (provider, user) => {
      const name = tokenFileName(provider, user);
      assert.deepEqual(namesIn(name), name.includes("~") ? undefined : { provider, user });
      assert.deepEqual(namesIn(name, { provider, user }), { provider, user });
    }),
  );
  for (const other of ["google.json", "Google.ada.json", "%.ada.json", "google.ada.json.lock", ".ada.json"]) {
    assert.equal(namesIn(other), undefined);
  }
});

test("a name that is missing or not valid Unicode is refused", () => {
  assert.throws(() => tokenFileName("", "ada"), /provider is missing/);
  assert.throws(() => tokenFileName("google", ""), /user is missing/);
  assert.throws(() => tokenFileName("google", "\ud800"), /user is not valid Unicode/);
});
