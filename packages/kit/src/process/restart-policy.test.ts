import assert from "node:assert/strict";
import { test } from "node:test";
import { SUPERVISE_LIMITS } from "./limits.ts";
import { createRestartPolicy, restartWaitMs } from "./restart-policy.ts";

function policyAt(start: number, mayRestart = () => true) {
  const clock = { nowMs: start };
  const policy = createRestartPolicy({
    now: () => clock.nowMs,
    random: () => 0.5,
    mayRestart,
    limits: SUPERVISE_LIMITS,
  });
  return { clock, policy };
}

test("30 s start grace; backoff 1 s → 60 s; 5 restarts in 5 min", () => {
  const { startDeadlineMs, firstWaitMs, longestWaitMs, maxRestarts, restartWindowMs } = SUPERVISE_LIMITS;
  assert.deepEqual([startDeadlineMs, firstWaitMs, longestWaitMs], [30_000, 1_000, 60_000]);
  assert.deepEqual([maxRestarts, restartWindowMs], [5, 5 * 60_000]);
});

test("the wait before a restart doubles from 1 s to at most 60 s, with jitter", () => {
  const waits = [0, 1, 2, 3, 7, 20].map((earlier) => restartWaitMs(earlier, SUPERVISE_LIMITS, () => 0.5));
  assert.deepEqual(waits, [0, 1_000, 2_000, 4_000, 60_000, 60_000]);
  assert.equal(
    restartWaitMs(1, SUPERVISE_LIMITS, () => 0),
    750,
  );
});

test("a sixth restart within five minutes is refused, and allowed again once the first is older than that", () => {
  const { clock, policy } = policyAt(1_000);
  const waits = [1, 2, 3, 4, 5].map(() => policy.next());
  assert.deepEqual(waits.at(-1), { waitMs: 8_000, attempt: 5 });
  assert.deepEqual(policy.next(), { refusal: "restarted 5 times, not again" });
  clock.nowMs += SUPERVISE_LIMITS.restartWindowMs - 1;
  assert.ok("refusal" in policy.next());
  clock.nowMs += 1;
  assert.deepEqual(policy.next(), { waitMs: 0, attempt: 1 });
});

test("after a reset, earlier restarts no longer count", () => {
  const { policy } = policyAt(0);
  for (let restart = 0; restart < 5; restart += 1) policy.next();
  policy.reset();
  assert.deepEqual(policy.next(), { waitMs: 0, attempt: 1 });
});

test("while automatic restart is off, every restart is refused and none is counted", () => {
  let may = false;
  const { policy } = policyAt(0, () => may);
  assert.deepEqual(policy.next(), { refusal: "automatic restart is off" });
  may = true;
  assert.deepEqual(policy.next(), { waitMs: 0, attempt: 1 });
});
