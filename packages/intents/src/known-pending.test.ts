import assert from "node:assert/strict";
import { test } from "node:test";
import { createKnownPending } from "./known-pending.ts";

const intent = (hash: string, expiresAtMs = 100) => ({
  hash,
  address: "192.0.2.1",
  key: "192.0.2.1",
  challenge: null,
  expiresAtMs,
});

test("an intent is known until it expires or is decided", () => {
  let nowMs = 0;
  const known = createKnownPending(() => nowMs);
  known.add("a", intent("hash of a"));
  known.add("b", intent("hash of b"));
  known.forget("hash of a");
  known.forget("hash of nobody");
  assert.equal(known.find("a"), undefined);
  assert.equal(known.find("b")?.hash, "hash of b");
  nowMs = 100;
  assert.equal(known.find("b"), undefined);
});

test("however many there are, two generations are kept, and what is decided is forgotten in both", () => {
  const known = createKnownPending(() => 0, 2);
  for (const name of ["a", "b", "c", "d", "e"]) known.add(name, intent(`hash of ${name}`));
  assert.deepEqual(
    ["a", "b", "c", "d", "e"].filter((name) => known.find(name)),
    ["c", "d", "e"],
  );
  known.forget("hash of c");
  assert.equal(known.find("c"), undefined);
});
