import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { answeredWithin, createWaits, Overdue, Silent } from "./redis-connection.ts";

const never = new Promise<never>(() => {});

test("an outcome in time is passed on, good or bad", async () => {
  assert.equal(await answeredWithin(Promise.resolve(1), 10), 1);
  const error = new Error("no");
  await assert.rejects(answeredWithin(Promise.reject(error), 10), error);
});

test("without any answer it ends as silent", async () => {
  await assert.rejects(answeredWithin(never, 10), Silent);
});

test("while other commands are being answered it keeps waiting, and in the end is overdue, not silent", async () => {
  const startMs = performance.now();
  const lastHeardMs = () => performance.now();
  await assert.rejects(createWaits({ silenceMs: 10, maxWaitMs: 60, lastHeardMs })(never), Overdue);
  assert.ok(performance.now() - startMs >= 60);
});

test("each promise has its own time, though one timer serves all", async () => {
  const wait = createWaits({ silenceMs: 40, maxWaitMs: 40, lastHeardMs: () => 0 });
  const atMs: number[] = [];
  const startMs = performance.now();
  const ended = () => atMs.push(performance.now() - startMs);
  const first = assert.rejects(wait(never), Silent).then(ended);
  assert.equal(await wait(sleep(20, "answer")), "answer");
  await Promise.all([first, assert.rejects(wait(never), Silent).then(ended)]);
  const [firstMs = 0, secondMs = 0] = atMs;
  assert.ok(firstMs >= 39 && secondMs >= 58, String(atMs));
});

test("an answer that arrived while this process was busy counts, however long that was", async () => {
  const answer = sleep(1, "answer").then((value) => new Promise((resolve) => setImmediate(resolve, value)));
  const outcome = answeredWithin(answer, 20);
  const busyUntilMs = performance.now() + 50;
  while (performance.now() < busyUntilMs);
  assert.equal(await outcome, "answer");
});
