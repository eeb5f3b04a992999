import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addLines,
  type ConsoleLine,
  look,
  MAX_ENTRIES,
  MAX_LINES,
  NO_HISTORY,
  remember,
  shownCode,
  tookText,
} from "./console-lines.ts";

const line = (text: string) => ({ kind: "input", text, at: "14:31:02" }) as const;

test("lines keep their keys, and the oldest go when there are too many", () => {
  let lines: readonly ConsoleLine[] = [];
  for (let n = 0; n < MAX_LINES + 5; n += 1) lines = addLines(lines, [line(String(n))]);
  assert.equal(lines.length, MAX_LINES);
  assert.equal(lines.at(0)?.text, "5");
  assert.equal(new Set(lines.map(({ key }) => key)).size, MAX_LINES);
  assert.deepEqual(addLines(lines, [line("next")]).slice(0, -1), lines.slice(1));
});

test("more lines at once than are kept are cut from the front", () => {
  const lines = addLines(
    [],
    Array.from({ length: MAX_LINES * 2 }, (_, n) => line(String(n))),
  );
  assert.deepEqual([lines.length, lines.at(-1)?.text], [MAX_LINES, String(MAX_LINES * 2 - 1)]);
});

test("a text that is too long is cut, and says so", () => {
  const [cut] = addLines([], [line("x".repeat(10_000))]);
  assert.match(cut?.text ?? "", /^x{5000}…$/);
});

test("how long something took is told in a unit that suits it", () => {
  assert.deepEqual([0, 1.94, 12.4, 240, 3_210].map(tookText), ["0.0 ms", "1.9 ms", "12 ms", "240 ms", "3.2 s"]);
  assert.equal(tookText(undefined), "");
});

test("people see the code that was sent, not what it was rewritten to", () => {
  assert.equal(shownCode("let x", false), "let x");
  assert.equal(shownCode("{}\n1 + 1\n+ 2", true), "1 + 1\n+ 2");
  assert.equal(shownCode('{"names":["x"],"shown":"let x"}\nvar x = void 0', true), "let x");
});

test("arrow up goes back through what was typed, arrow down comes forward to what is being typed", () => {
  const history = remember(remember(NO_HISTORY, "one"), "two");
  const first = look(history, "older", "half");
  assert.equal(first?.text, "two");
  const second = look(first?.history ?? history, "older", "two");
  assert.equal(second?.text, "one");
  assert.equal(look(second?.history ?? history, "older", "one"), undefined);
  const back = look(second?.history ?? history, "newer", "one");
  assert.equal(back?.text, "two");
  assert.equal(look(back?.history ?? history, "newer", "two")?.text, "half");
  assert.equal(look(history, "newer", "half"), undefined);
});

test("the same code again is kept once, and only so many are kept", () => {
  let history = remember(remember(NO_HISTORY, "same"), "same");
  assert.deepEqual(history.entries, ["same"]);
  for (let n = 0; n < MAX_ENTRIES + 10; n += 1) history = remember(history, String(n));
  assert.equal(history.entries.length, MAX_ENTRIES);
});
