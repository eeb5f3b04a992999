import assert from "node:assert/strict";
import { test } from "node:test";
import { durationInWords, timeInWords } from "./words.ts";

for (const [seconds, words] of [
  [-1, "0 s"],
  [0.9, "0 s"],
  [59, "59 s"],
  [60, "1 min"],
  [3_599, "59 min"],
  [3_600, "1 h"],
  [12_000, "3 h 20 min"],
  [86_400, "1 d"],
  [187_200, "2 d 4 h"],
] as const) {
  test(`${seconds} s is ${words}`, () => assert.equal(durationInWords(seconds * 1_000), words));
}

test("today's times have no date; other days do", () => {
  const now = new Date(2026, 7, 8, 14, 41, 19);
  assert.equal(timeInWords(new Date(2026, 7, 8, 9, 5, 7), now), "09:05:07");
  assert.equal(timeInWords(new Date(2026, 7, 7, 23, 5, 7), now), "7 Aug 23:05");
});
