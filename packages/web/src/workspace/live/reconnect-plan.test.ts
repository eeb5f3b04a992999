import assert from "node:assert/strict";
import { test } from "node:test";
import { LINK_WAITS, retryDelayMs } from "./reconnect-plan.ts";

test("waits double with every failure, up to a bound", () => {
  const waits = [1, 2, 3, 4, 5, 6, 50].map((failures) => retryDelayMs(failures, () => 1));
  assert.deepEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
});

test("a wait is spread over its second half, so that pages do not come back all at once", () => {
  assert.equal(
    retryDelayMs(10, () => 0),
    LINK_WAITS.maxRetryMs / 2,
  );
  assert.equal(
    retryDelayMs(10, () => 0.5),
    (LINK_WAITS.maxRetryMs * 3) / 4,
  );
});

test("a server that says how long to wait is waited for", () => {
  assert.equal(
    retryDelayMs(1, () => 0, 30_000),
    30_000,
  );
});
