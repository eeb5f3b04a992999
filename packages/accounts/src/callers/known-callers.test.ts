import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "@backplane/kit/callers";
import { CALLER_LIFE_MS, createKnownCallers } from "./known-callers.ts";

const known = (credentialId: string, readAtMs: number, expiresAtMs = Number.POSITIVE_INFINITY) => ({
  answer: Promise.resolve({} as Caller),
  credentialId,
  readAtMs,
  expiresAtMs,
});

test("a flood of credentials takes no more room than two generations, and the youngest are found", () => {
  const callers = createKnownCallers(100);
  for (let i = 0; i < 1_000; i += 1) callers.add(`token ${i}`, known(String(i), 5));
  assert.ok(callers.size() <= 200);
  assert.ok(callers.find("token 999", 5));
  assert.equal(callers.find("token 0", 5), undefined);
});

test("what nobody asks for is gone after two lives, so that no credential stays in memory", () => {
  const callers = createKnownCallers();
  callers.add("a", known("a", 0));
  callers.add("b", known("b", CALLER_LIFE_MS));
  callers.add("c", known("c", 2 * CALLER_LIFE_MS));
  assert.equal(callers.size(), 2);
});

test("an entry holds for its life, until the session's end, and not before it was read", () => {
  const callers = createKnownCallers();
  callers.add("key", known("key", 10_000));
  callers.add("session", known("session", 10_000, 10_200));
  assert.ok(callers.find("key", 10_000 + CALLER_LIFE_MS - 1));
  assert.equal(callers.find("key", 10_000 + CALLER_LIFE_MS), undefined);
  assert.equal(callers.find("key", 9_999), undefined);
  assert.ok(callers.find("session", 10_199));
  assert.equal(callers.find("session", 10_200), undefined);
});

test("what is dropped is dropped from both generations, under every credential it has", () => {
  const callers = createKnownCallers(2);
  for (const token of ["a", "b", "c"]) callers.add(token, known(token === "b" ? "kept" : "ended", 5));
  callers.drop(new Set(["ended"]));
  assert.deepEqual(
    ["a", "b", "c"].map((token) => callers.find(token, 5)?.credentialId),
    [undefined, "kept", undefined],
  );
});
