import assert from "node:assert/strict";
import { test } from "node:test";
import { ANSWER_MINUTES, createAnswerTimes } from "./answer-times.ts";

const MINUTE_MS = 60_000;

test("the slowest answer of each of the last minutes is kept, and minutes without one are seen", () => {
  let nowMs = 5 * MINUTE_MS;
  const times = createAnswerTimes(() => nowMs);
  assert.deepEqual(times.read(), []);
  times.add(1.24);
  times.add(8.06);
  times.add(2);
  nowMs += 2 * MINUTE_MS;
  times.add(3);
  assert.deepEqual(times.read(), [8.1, null, 3]);
  nowMs += ANSWER_MINUTES * MINUTE_MS;
  assert.deepEqual(times.read(), Array(ANSWER_MINUTES).fill(null), "what is older is gone");
});

test("a clock that was set back leaves nothing behind that is wrong", () => {
  let nowMs = 50 * MINUTE_MS;
  const times = createAnswerTimes(() => nowMs);
  times.add(1);
  nowMs = 5 * MINUTE_MS;
  times.add(2);
  assert.deepEqual(times.read(), []);
  nowMs = 51 * MINUTE_MS;
  assert.deepEqual(times.read(), [1, null]);
});
