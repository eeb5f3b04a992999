import assert from "node:assert/strict";
import { test } from "node:test";
import { appendLines, durationWords } from "./output-lines.ts";

const LIMITS = { maxLines: 200, maxLength: 5_000 };
const append = (lines: readonly { key: number; text: string }[], ...texts: string[]) =>
  appendLines(
    lines,
    texts.map((text) => ({ text })),
    LIMITS,
  );

test("lines keep their keys, and the oldest go when there are too many", () => {
  let lines = append([]);
  for (let n = 0; n < LIMITS.maxLines + 5; n += 1) lines = append(lines, String(n));
  assert.equal(lines.length, LIMITS.maxLines);
  assert.equal(lines.at(0)?.text, "5");
  assert.equal(new Set(lines.map(({ key }) => key)).size, LIMITS.maxLines);
  assert.deepEqual(append(lines, "next").slice(0, -1), lines.slice(1));
});

test("more lines at once than are kept are cut from the front", () => {
  const lines = append([], ...Array.from({ length: LIMITS.maxLines * 2 }, (_, n) => String(n)));
  assert.deepEqual([lines.length, lines.at(-1)?.text], [LIMITS.maxLines, String(LIMITS.maxLines * 2 - 1)]);
});

test("a text that is too long is cut, with an ellipsis", () => {
  assert.match(append([], "x".repeat(10_000))[0]?.text ?? "", /^x{5000}…$/);
});

test("durations have the unit that fits", () => {
  assert.deepEqual([0, 1.94, 12.4, 240.4, 3_210, 250_000].map(durationWords), [
    ...["0.0 ms", "1.9 ms", "12 ms", "240 ms", "3.2 s", "4 min 10 s"],
  ]);
});
