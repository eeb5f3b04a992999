import assert from "node:assert/strict";
import test from "node:test";
import { add, closingLine, exitCode } from "./tally.ts";

test("the closing line names skipped tests only when there are some", () => {
  assert.equal(closingLine({ passed: 12, failed: 0, skipped: 0 }), "12 passed, 0 failed");
  assert.equal(closingLine({ passed: 12, failed: 1, skipped: 3 }), "12 passed, 1 failed, 3 skipped");
});

test("a failure, or no test at all, is a failed run", () => {
  assert.equal(exitCode({ passed: 1, failed: 0, skipped: 0 }), 0);
  assert.equal(exitCode({ passed: 1, failed: 1, skipped: 0 }), 1);
  assert.equal(exitCode({ passed: 0, failed: 0, skipped: 4 }), 1);
});

test("tallies add up", () => {
  const sum = add({ passed: 1, failed: 2, skipped: 3 }, { passed: 10, failed: 20, skipped: 30 });
  assert.deepEqual(sum, { passed: 11, failed: 22, skipped: 33 });
});
