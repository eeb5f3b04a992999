import assert from "node:assert/strict";
import { test } from "node:test";
import { addLines, type ConsoleLine, MAX_LINES, shownCode, tookText } from "./console-lines.ts";

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
