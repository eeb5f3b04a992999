import assert from "node:assert/strict";
import { test } from "node:test";
import { decisionFault } from "./decision-fault.ts";

const fault = (status: number, code: string) => ({
  status,
  code,
  title: "Only a signed-in browser may do this",
  detail: undefined,
  errors: [],
  retryAfterS: undefined,
});

test("an answer that got lost is told apart from one that was refused", () => {
  assert.match(decisionFault(fault(0, "silent")), /^No answer came/);
  assert.match(decisionFault(fault(503, "database-unavailable")), /^No answer came/);
  assert.equal(
    decisionFault(fault(403, "browser-session-needed")),
    "Your answer was not taken. Only a signed-in browser may do this.",
  );
  assert.match(decisionFault(fault(422, "wrong-code")), /^The code has changed/);
});
