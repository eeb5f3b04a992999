import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerLines,
  createLineBuffer,
  logLine,
  MAX_ENTRIES,
  NO_HISTORY,
  recall,
  remember,
  shownCode,
} from "./console-lines.ts";

test("the console shows the code that was sent, not the rewritten code", () => {
  assert.equal(shownCode("let x", false), "let x");
  assert.equal(shownCode("{}\n1 + 1\n+ 2", true), "1 + 1\n+ 2");
  assert.equal(shownCode('{"names":["x"],"shown":"let x"}\nvar x = void 0', true), "let x");
});

test("lines are handed on when the output pauses; one that does not pause, twice a second, and once more at its end", (t) => {
  let nowMs = 0;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(performance, "now", () => nowMs);
  const pass = (ms: number) => {
    nowMs += ms;
    t.mock.timers.tick(ms);
  };
  const handed: [count: number, hasPaused: boolean][] = [];
  const buffer = createLineBuffer((lines, hasPaused) => handed.push([lines.length, hasPaused]));
  const add = () => buffer.add(logLine({ level: "info", text: "line" }));
  add();
  add();
  pass(50);
  assert.deepEqual(handed.splice(0), [[2, true]]);
  for (let n = 0; n < 110; n += 1) {
    add();
    pass(10);
  }
  pass(50);
  pass(1_000);
  const last = handed.pop();
  assert.deepEqual(
    handed.map(([, hasPaused]) => hasPaused),
    [false, false],
  );
  assert.equal(last?.[1], true);
  assert.equal(
    [...handed, last].reduce((sum, each) => sum + (each?.[0] ?? 0), 0),
    110,
  );
  buffer.flush();
  assert.deepEqual(handed.length, 2);
});

test("arrow up goes back in the history, arrow down forward to what is being typed", () => {
  const history = remember(remember(NO_HISTORY, "one"), "two");
  const first = recall(history, "older", "half");
  assert.equal(first?.text, "two");
  const second = recall(first?.history ?? history, "older", "two");
  assert.equal(second?.text, "one");
  assert.equal(recall(second?.history ?? history, "older", "one"), undefined);
  const back = recall(second?.history ?? history, "newer", "one");
  assert.equal(back?.text, "two");
  assert.equal(recall(back?.history ?? history, "newer", "two")?.text, "half");
  assert.equal(recall(history, "newer", "half"), undefined);
});

test("repeated code is kept once, and the history is bounded", () => {
  let history = remember(remember(NO_HISTORY, "same"), "same");
  assert.deepEqual(history.entries, ["same"]);
  for (let n = 0; n < MAX_ENTRIES + 10; n += 1) history = remember(history, String(n));
  assert.equal(history.entries.length, MAX_ENTRIES);
});

test("the answer of another window is shown with its output; code that waits says so", () => {
  const texts = (...[result]: Parameters<typeof answerLines>) =>
    answerLines(result).map(({ kind, text }) => [kind, text]);
  const logs = [{ level: "warn", text: "low" }] as const;
  assert.deepEqual(texts({ status: "executed", result: { a: 1 }, logs: [...logs] }), [
    ["log", "low"],
    ["result", '{"a":1}'],
  ]);
  assert.deepEqual(texts({ status: "executed" }), [["result", "undefined"]]);
  assert.deepEqual(texts({ status: "error", error: "TypeError: x" }), [["error", "TypeError: x"]]);
  assert.match(texts({ status: "queued", id: "1" })[0]?.[1] ?? "", /as soon as a window shows this sandbox/);
});
