import assert from "node:assert/strict";
import { test } from "node:test";
import type { IntentRequest } from "@backplane/contract/intents";
import type { Answer, Fault } from "../calls/call.ts";
import { afterDecision, afterPoll, decisionFault, isEnded, type View } from "./view.ts";

const request = (part: Partial<IntentRequest> = {}): IntentRequest => ({
  state: "pending",
  app_name: "bench-agent",
  confirmation_code: "KRTD-WBNH",
  created_at: "2026-11-15T14:30:00Z",
  expires_at: "2026-11-15T14:45:00Z",
  requested_max_age: 7_776_000,
  session_ends_at: "2027-02-13T14:30:00Z",
  callers: [],
  ...part,
});

const heard = (part?: Partial<IntentRequest>): Answer<IntentRequest> => ({
  ok: true,
  value: request(part),
  serverTimeMs: undefined,
});

const refused = (status: number, code: string): { ok: false; fault: Fault } => ({
  ok: false,
  fault: { status, code, title: "", detail: undefined, errors: [], retryAfterS: undefined },
});

const loading: View = { is: "loading" };
const asking: View = { is: "asking", request: request(), stale: false };

test("loading a pending request shows the question and decides nothing", () => {
  assert.deepEqual(afterPoll(loading, heard(), undefined), asking);
  assert.deepEqual(afterPoll(asking, heard(), undefined), asking);
});

test("a request that was already answered shows the outcome", () => {
  assert.equal(afterPoll(loading, heard({ state: "authenticated" }), undefined).is, "used");
  assert.equal(afterPoll(loading, heard({ state: "denied" }), undefined).is, "denied");
  assert.equal(afterPoll(loading, heard({ state: "expired" }), undefined).is, "expired");
});

test("a decision that was accepted ends the page", () => {
  const done: Answer<unknown> = { ok: true, value: {}, serverTimeMs: undefined };
  assert.deepEqual(afterDecision(asking, done, "approve"), { is: "done", request: request() });
  assert.deepEqual(afterDecision(asking, done, "deny"), { is: "denied", request: request() });
});

for (const [status, code, is] of [
  [401, "not-signed-in", "signed-out"],
  [404, "intent-unknown", "unknown"],
  [409, "intent-linked", "used"],
  [410, "intent-expired", "expired"],
  [410, "intent-denied", "denied"],
  [410, "session-ended", "used"],
] as const) {
  test(`${status} ${code} shows "${is}", whether it answers a question or a decision`, () => {
    assert.equal(afterPoll(loading, refused(status, code), undefined).is, is);
    assert.equal(afterDecision(asking, refused(status, code), "approve").is, is);
  });
}

test("without an answer the page stays and says that it may be stale", () => {
  assert.deepEqual(afterDecision(asking, refused(0, "silent"), "approve"), { ...asking, stale: true });
  assert.deepEqual(afterPoll(asking, refused(0, "silent"), undefined), { ...asking, stale: true });
  assert.equal(afterPoll(loading, refused(503, "database-unavailable"), undefined).is, "silent");
});

test("an approval whose response was lost shows as done", () => {
  const after = afterDecision(asking, refused(0, "silent"), "approve");
  assert.equal(afterPoll(after, heard({ state: "authenticated" }), "approve").is, "done");
});

test("what has ended stays ended, whatever later polls say", () => {
  const done: View = { is: "done", request: request() };
  assert.equal(isEnded(done), true);
  assert.equal(isEnded(asking), false);
  assert.equal(afterPoll(done, heard({ state: "pending" }), undefined), done);
  assert.equal(afterPoll(done, refused(0, "silent"), undefined), done);
});

const fault = (status: number, code: string) => ({
  status,
  code,
  title: "Only a signed-in browser may do this",
  detail: undefined,
  errors: [],
  retryAfterS: undefined,
});

test("a lost answer and a refused one have different texts", () => {
  assert.match(decisionFault(fault(0, "silent")), /^Backplane did not answer/);
  assert.match(decisionFault(fault(503, "database-unavailable")), /^Backplane did not answer/);
  assert.equal(
    decisionFault(fault(403, "browser-session-needed")),
    "Your decision was not accepted. Only a signed-in browser may do this.",
  );
  assert.match(decisionFault(fault(422, "wrong-code")), /^The code has changed/);
});
