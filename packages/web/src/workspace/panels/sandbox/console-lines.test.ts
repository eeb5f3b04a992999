import assert from "node:assert/strict";
import { test } from "node:test";
import { answerLines, MAX_ENTRIES, NO_HISTORY, recall, remember, shownCode } from "./console-lines.ts";

test("the console shows the code that was sent, not the rewritten code", () => {
  assert.equal(shownCode("let x", false), "let x");
  assert.equal(shownCode("{}\n1 + 1\n+ 2", true), "1 + 1\n+ 2");
  assert.equal(shownCode('{"names":["x"],"shown":"let x"}\nvar x = void 0', true), "let x");
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
