import assert from "node:assert/strict";
import { test } from "node:test";
import { RESTARTS_BEFORE_EXIT, SUPERVISE_LIMITS } from "./limits.ts";
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

test("30 s start grace; backoff 1 s → 30 s; --exit-on-failure after 5 restarts in 5 min", () => {
  const { startDeadlineMs, firstWaitMs, longestWaitMs, restartWindowMs } = SUPERVISE_LIMITS;
  assert.deepEqual([startDeadlineMs, firstWaitMs, longestWaitMs], [30_000, 1_000, 30_000]);
  assert.deepEqual([RESTARTS_BEFORE_EXIT, restartWindowMs], [5, 5 * 60_000]);
});

test("the wait before a restart doubles from 1 s to at most 30 s, with jitter", () => {
  const waits = [0, 1, 2, 3, 7, 20].map((earlier) => restartWaitMs(earlier, SUPERVISE_LIMITS, () => 0.5));
  assert.deepEqual(waits, [0, 1_000, 2_000, 4_000, 30_000, 30_000]);
  assert.equal(
    restartWaitMs(20, SUPERVISE_LIMITS, () => 1),
    30_000,
  );
  assert.equal(
    restartWaitMs(1, SUPERVISE_LIMITS, () => 0),
    750,
  );
});

test("restarts are never refused; once earlier ones are older than five minutes, the next is at once again", () => {
  const { clock, policy } = policyAt(1_000);
  const waits = [1, 2, 3, 4, 5].map(() => policy.next());
  assert.deepEqual(waits.at(-1), { waitMs: 8_000, attempt: 5 });
  assert.deepEqual(policy.next(), { waitMs: 16_000, attempt: 6 });
  for (let more = 0; more < 100; more += 1) assert.ok("waitMs" in policy.next());
  clock.nowMs += SUPERVISE_LIMITS.restartWindowMs;
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
