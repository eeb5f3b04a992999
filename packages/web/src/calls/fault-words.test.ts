import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault } from "./call.ts";
import { faultWords } from "./fault-words.ts";

const fault = (part: Partial<Fault>): Fault => ({
  status: 409,
  code: "name-taken",
  title: "This name is taken",
  detail: undefined,
  errors: [],
  retryAfterS: undefined,
  ...part,
});

test("a fault says what happened, then the next step", () => {
  assert.equal(faultWords(fault({})), "This name is taken.");
  assert.equal(faultWords(fault({ detail: "Take another name." })), "Take another name.");
  assert.equal(
    faultWords(fault({ code: "last-owner", title: "One owner stays", detail: "Make another one first." })),
    "One owner stays. Make another one first.",
  );
  assert.equal(
    faultWords(fault({ status: 0 })),
    "Backplane does not answer. Check that it is running, then try again.",
  );
  assert.equal(
    faultWords(fault({ status: 503, title: "The database does not answer" })),
    "The database does not answer. Try again in a moment.",
  );
});

test("a refusal for too many tries says how long to wait", () => {
  assert.equal(faultWords(fault({ status: 429, retryAfterS: 540 })), "Too many tries. Wait 9 minutes, then try again.");
  assert.equal(faultWords(fault({ status: 429 })), "Too many tries. Wait 1 minute, then try again.");
});
