import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type EvalLog,
  type FrameToPage,
  type PageToFrame,
  type SandboxCondition,
  stoppedAfter,
} from "@backplane/contract/panels";
import { answerOf, endingOf, FrameCalls, notRun, readFrameMessage, stillWaiting, stuckWords } from "./frame-calls.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** A frame that answers when the test says so, and a test clock. */
function open() {
  const sent: PageToFrame[] = [];
  const conditions: SandboxCondition[] = [];
  const logs: EvalLog[] = [];
  const timers = new Set<{ run: () => void; atMs: number }>();
  let nowMs = 0;
  const calls = new FrameCalls({
    port: { postMessage: (message) => void sent.push(message) },
    onCondition: (condition) => void conditions.push(condition),
    onLog: (log) => void logs.push(log),
    now: () => nowMs,
    setTimer(run, afterMs) {
      const timer = { run, atMs: nowMs + afterMs };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  });
  const pass = (ms: number) => {
    nowMs += ms;
    for (const timer of [...timers].sort((a, b) => a.atMs - b.atMs)) {
      if (timer.atMs > nowMs || !timers.delete(timer)) continue;
      timer.run();
    }
  };
  const lastId = () => {
    const last = sent.at(-1);
    return last && "id" in last ? last.id : 0;
  };
  return { calls, sent, conditions, logs, pass, lastId, timers };
}

test("several calls run at once, and each gets the answer with its id", async () => {
  const { calls, timers } = open();
  const [first, second] = [calls.run("1", true, 5_000, NEVER), calls.run("2", true, 5_000, NEVER)];
  calls.receive({ type: "executed", id: 2, json: "2", text: "2", durationMs: 1 });
  calls.receive({ type: "failed", id: 1, error: "TypeError: nope", durationMs: 2 });
  assert.deepEqual(answerOf(await second), { status: "executed", result: 2, durationMs: 1 });
  assert.deepEqual(answerOf(await first), { status: "error", error: "TypeError: nope", durationMs: 2 });
  assert.equal(timers.size, 0);
});

test("output belongs to its call, and is shown at once", async () => {
  const { calls, logs } = open();
  const run = calls.run("1", true, 5_000, NEVER);
  calls.receive({ type: "log", id: 1, level: "warn", text: "low" });
  calls.receive({ type: "log", id: null, level: "log", text: "from before" });
  calls.receive({ type: "executed", id: 1, text: "undefined", durationMs: 1 });
  assert.deepEqual(answerOf(await run), {
    ...{ status: "executed", durationMs: 1 },
    logs: [{ level: "warn", text: "low" }],
  });
  assert.equal(logs.length, 2);
});

test("output of one call is bounded", async () => {
  const { calls } = open();
  const run = calls.run("1", true, 5_000, NEVER);
  for (let n = 0; n < 1_000; n += 1) calls.receive({ type: "log", id: 1, level: "log", text: "x".repeat(100) });
  calls.receive({ type: "executed", id: 1, text: "1", durationMs: 1 });
  assert.ok((await run).logs.length <= 200);
});

test("An endless loop answers an error after its time limit; the frame is stuck until it is reset", async () => {
  const { calls, sent, conditions, pass } = open();
  const [loop, behind] = [calls.run("while(true){}", true, 5_000, NEVER), calls.run("1", true, 60_000, NEVER)];
  calls.receive({ type: "begun", id: 1 });
  pass(5_000);
  assert.equal((await loop).status === "error" && answerOf(await loop).error, stoppedAfter(5_000));
  assert.equal(stoppedAfter(5_000), "Stopped after 5 s: the code did not finish. Reset the sandbox to continue.");
  assert.equal(sent.at(-1)?.type, "ping");
  assert.deepEqual(conditions, []);
  pass(250);
  assert.deepEqual(conditions, ["stuck"]);
  const stuck = answerOf(notRun(stuckWords()));
  assert.deepEqual(answerOf(await calls.run("2", true, 5_000, NEVER)), stuck, "later code is answered at once");
  pass(60_000);
  pass(250);
  assert.deepEqual(answerOf(await behind), stuck, "the frame begins it no more");
});

test("code that another call found to be running for long is not reported as failed", async () => {
  const { calls, conditions, pass } = open();
  const [long, impatient] = [calls.run("long", true, 60_000, NEVER), calls.run("1", true, 100, NEVER)];
  calls.receive({ type: "begun", id: 1 });
  pass(100);
  pass(250);
  assert.deepEqual(answerOf(await impatient), answerOf(notRun(stuckWords())));
  pass(250);
  assert.deepEqual(conditions, ["stuck"]);
  calls.receive({ type: "executed", id: 1, text: "1", durationMs: 2_000 });
  assert.equal((await long).status, "executed");
});

test("a frame that comes back is ready again", async () => {
  const { calls, conditions, pass, lastId } = open();
  const long = calls.run("long", true, 1_000, NEVER);
  calls.receive({ type: "begun", id: 1 });
  pass(1_000);
  await long;
  const ping = lastId();
  pass(250);
  calls.receive({ type: "pong", id: ping });
  assert.deepEqual(conditions, ["stuck", "ready"]);
});

test("code that waits for a promise is told apart from an endless loop, and does not block the frame", async () => {
  const { calls, conditions, pass, lastId } = open();
  const run = calls.run("await forever", true, 5_000, NEVER);
  calls.receive({ type: "begun", id: 1 });
  calls.receive({ type: "waiting", id: 1 });
  pass(5_000);
  assert.equal(answerOf(await run).error, stillWaiting(5_000));
  calls.receive({ type: "pong", id: lastId() });
  pass(1_000);
  assert.deepEqual(conditions, []);
});

test("code that begins at the last moment is not reported as not run", async () => {
  const { calls, sent, pass } = open();
  const run = calls.run("1", true, 1_000, 400);
  assert.ok(sent[0]?.type === "eval" && sent[0].untilMs === 400);
  pass(1_000);
  calls.receive({ type: "begun", id: 1 });
  pass(250);
  assert.equal(answerOf(await run).error, stoppedAfter(1_000));
});

test("a reset ends all calls, and says which of them did not run", async () => {
  const { calls, timers } = open();
  const reset = "The sandbox was reset.";
  const [run, behind, picture] = [
    calls.run("1", true, 5_000, NEVER),
    calls.run("2", true, 5_000, NEVER),
    calls.rasterise("white"),
  ];
  calls.receive({ type: "begun", id: 1 });
  calls.close(reset);
  assert.equal(answerOf(await run).error, reset);
  await assert.rejects(picture, /reset/);
  const later = calls.run("3", true, 5_000, NEVER);
  for (const call of [behind, later]) assert.deepEqual(answerOf(await call), answerOf(notRun(reset)));
  assert.equal(timers.size, 0);
});

test("how code ended decides whether it is run again after a reload; code that did not run has no ending", async () => {
  const { calls, pass } = open();
  const [done, threw, pending, loop, behind] = [1, 2, 3, 4, 5].map((n) => calls.run(`${n}`, true, 1_000, NEVER));
  for (const id of [1, 2, 3, 4]) calls.receive({ type: "begun", id });
  calls.receive({ type: "executed", id: 1, text: "1", durationMs: 1 });
  calls.receive({ type: "failed", id: 2, error: "TypeError", durationMs: 1 });
  calls.receive({ type: "waiting", id: 3 });
  pass(1_000);
  pass(250);
  const ended = await Promise.all([done, threw, pending, loop, behind].map(async (run) => run && endingOf(await run)));
  assert.deepEqual(ended, ["executed", "threw", "pending", "stopped", undefined]);
});

test("where code shares the page's thread, code that was cut short counts as stopped", async () => {
  const { calls } = open();
  calls.maxBlockMs = 1_000;
  const [loop, short] = [calls.run("1", true, 5_000, NEVER), calls.run("2", true, 5_000, NEVER)];
  calls.receive({ type: "failed", id: 1, error: "Stopped after 1 s", durationMs: 1_002 });
  calls.receive({ type: "failed", id: 2, error: "TypeError", durationMs: 3 });
  assert.deepEqual([endingOf(await loop), endingOf(await short)], ["stopped", "threw"]);
});

test("a picture arrives, fails with a reason, or times out", async () => {
  const { calls, pass } = open();
  const [first, second, third] = [1, 2, 3].map(() => calls.rasterise("white"));
  calls.receive({ type: "picture", id: 1, bytes: new ArrayBuffer(4) });
  calls.receive({ type: "no-picture", id: 2, error: "tainted" });
  assert.equal((await first)?.byteLength, 4);
  await assert.rejects(second ?? Promise.resolve(), /tainted/);
  const late = assert.rejects(third ?? Promise.resolve(), /in time/);
  pass(10_000);
  await late;
});

test("every valid message of a frame is read", () => {
  const messages: FrameToPage[] = [
    { type: "ready" },
    { type: "pong", id: 1 },
    { type: "begun", id: 1 },
    { type: "waiting", id: 1 },
    { type: "log", id: null, level: "warn", text: "a" },
    { type: "log", id: 1, level: "log", text: "" },
    { type: "executed", id: 1, text: "undefined", durationMs: 0.1 },
    { type: "executed", id: 1, json: "1", text: "1", durationMs: 0 },
    { type: "failed", id: 1, error: "Error", durationMs: 3 },
    { type: "picture", id: 1, bytes: new ArrayBuffer(1) },
    { type: "no-picture", id: 1, error: "Error" },
  ];
  for (const message of messages) assert.equal(readFrameMessage(message), message, message.type);
});

test("anything else is ignored", () => {
  for (const other of [
    ...[null, undefined, 1, "ready", [], {}, new Map(), { type: "eval", id: 1, code: "" }, { type: "__proto__" }],
    ...[{ type: "pong" }, { type: "pong", id: "1" }, { type: "waiting", id: Number.NaN }],
    { type: "log", id: 1, level: "log", text: { toString: 1 } },
    { type: "log", id: 1, level: "loud", text: "a" },
    { type: "log", level: "log", text: "a" },
    { type: "executed", id: 1, json: { a: 1 }, text: "a", durationMs: 1 },
    { type: "executed", id: 1, json: "1", text: "1", durationMs: "1" },
    { type: "executed", id: 1, json: "1", durationMs: 1 },
    { type: "failed", id: 1, error: new Error("a"), durationMs: 1 },
    { type: "picture", id: 1, bytes: "a" },
    { type: "no-picture", id: 1 },
  ]) {
    assert.equal(readFrameMessage(other), undefined, JSON.stringify(other));
  }
});
