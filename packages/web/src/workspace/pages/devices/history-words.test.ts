import assert from "node:assert/strict";
import { test } from "node:test";
import { keptWords } from "./history-words.ts";

const keptFor = (...days: number[]) => keptWords(days.map((each, i) => ({ everyS: 60 ** i, forS: each * 86_400 })));

test("what is kept for how long is said, the finest first, and nothing twice", () => {
  assert.equal(keptFor(1, 30, 730), "every second for 24 hours, every minute for 30 days, every hour for 2 years");
  assert.equal(keptFor(1, 10, 10), "every second for 24 hours, every minute for 10 days");
  assert.equal(keptFor(0.5, 0.5, 0.5), "every second for 12 hours");
});
