import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "@backplane/kit/callers";
import { CALLER_LIFE_MS, createKnownCallers } from "./known-callers.ts";

function open(maxEntries?: number) {
  const clock = { nowMs: 10_000 };
  const callers = createKnownCallers(() => clock.nowMs, maxEntries);
  const add = (credential: string, credentialId = credential, expiresAtMs = Number.POSITIVE_INFINITY) =>
    callers.add(credential, {
      answer: Promise.resolve({} as Caller),
      credentialId,
      readAtMs: clock.nowMs,
      expiresAtMs,
    });
  return { clock, callers, add };
}

test("a flood of credentials takes a bounded amount of memory, and the newest are found", () => {
  const { callers, add } = open(100);
  for (let i = 0; i < 1_000; i += 1) add(`token ${i}`);
  assert.ok(callers.size() <= 200);
  assert.ok(callers.find("token 999"));
  assert.equal(callers.find("token 0"), undefined);
});

test("an entry that nobody asks for is gone after two lifetimes, so that no credential stays in memory", () => {
  const { clock, callers, add } = open();
  for (const credential of ["a", "b", "c"]) {
    add(credential);
    clock.nowMs += CALLER_LIFE_MS;
  }
  assert.equal(callers.size(), 2);
});

test("an entry is valid for its lifetime, until the session ends, and not before it was read", () => {
  const { clock, callers, add } = open();
  add("key");
  add("session", "session", 10_200);
  clock.nowMs = 10_199;
  assert.ok(callers.find("session"));
  clock.nowMs = 10_200;
  assert.equal(callers.find("session"), undefined);
  clock.nowMs = 10_000 + CALLER_LIFE_MS - 1;
  assert.ok(callers.find("key"));
  clock.nowMs = 10_000 + CALLER_LIFE_MS;
  assert.equal(callers.find("key"), undefined);
  clock.nowMs = 9_999;
  assert.equal(callers.find("key"), undefined);
});

test("an ended credential is dropped however old its entries are", () => {
  const { callers, add } = open(2);
  for (const token of ["a", "b", "c"]) add(token, token === "b" ? "kept" : "ended");
  callers.drop(new Set(["ended"]));
  assert.deepEqual(
    ["a", "b", "c"].map((token) => callers.find(token)?.credentialId),
    [undefined, "kept", undefined],
  );
});
