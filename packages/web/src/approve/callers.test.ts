import assert from "node:assert/strict";
import { test } from "node:test";
import type { IntentCaller } from "@backplane/contract/intents";
import { callersKey, confirmationOf, warningOf } from "./callers.ts";

const caller = (address: string, part: Partial<IntentCaller> = {}): IntentCaller => ({
  address,
  program: "Linux, Node 24",
  since: "2026-11-15T14:30:52Z",
  is_creator: true,
  is_new_address: false,
  ...part,
});

const one = [caller("192.168.20.41")];
const two = [...one, caller("203.0.113.77", { is_creator: false, program: null })];

test("one caller at a known address gives no warning", () => {
  assert.equal(warningOf(one), undefined);
  assert.equal(confirmationOf(one), undefined);
  assert.equal(warningOf([]), undefined);
});

test("a new address gives a warning but can still be approved", () => {
  const fresh = [caller("203.0.113.77", { is_new_address: true })];
  assert.equal(warningOf(fresh)?.strong, "This address is new.");
  assert.equal(confirmationOf(fresh), undefined);
});

test("with two or more callers Approve needs a ticked box", () => {
  assert.equal(warningOf(two)?.strong, "Two callers are waiting on this link.");
  assert.equal(confirmationOf(two), "I know both addresses and want to approve.");
  assert.equal(confirmationOf([...two, caller("198.51.100.9")]), "I know all three addresses and want to approve.");
});

test("a box ticked for two callers does not count for three, but does for the same two in another order", () => {
  assert.notEqual(callersKey(two), callersKey([...two, caller("198.51.100.9")]));
  assert.equal(callersKey(two), callersKey(two.toReversed()));
});
