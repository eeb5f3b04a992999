import assert from "node:assert/strict";
import { test } from "node:test";
import { lengthWords, sizeWords } from "./recording-words.ts";

test("lengths and sizes of recordings are written as people say them", () => {
  assert.deepEqual([44_900, 240_000, 3_840_000, -5].map(lengthWords), ["0:44", "4:00", "1:04:00", "0:00"]);
  assert.deepEqual([0, 3_100_000, 412_000_000, 1_600_000_000].map(sizeWords), ["0.0 kB", "3.1 MB", "412 MB", "1.6 GB"]);
});
