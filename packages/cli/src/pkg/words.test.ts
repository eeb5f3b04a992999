import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf, plain, plainLines, sizeOf } from "./words.ts";

test("sizes are said as people say them", () => {
  const sizes = [0, 999, 1_000, 9_940, 412_345, 1_300_000, 26_600_000, 5_000_000_000, 2e15].map(sizeOf);
  assert.deepEqual(sizes, [
    "0 bytes",
    "999 bytes",
    "1.0 KB",
    "9.9 KB",
    "412 KB",
    "1.3 MB",
    "27 MB",
    "5.0 GB",
    "2000000 GB",
  ]);
});

test("one file, two files", () => {
  assert.deepEqual(
    [countOf(1, "file"), countOf(0, "file"), countOf(2, "entry", "entries")],
    ["1 file", "0 files", "2 entries"],
  );
});

test("text of a repository cannot move the cursor, colour the terminal or fake a line", () => {
  assert.equal(plain("a\x1b[31mb\r\nc\u202e\u0007d"), "a [31mb c d");
  assert.deepEqual(plainLines("one\x1b[2J\r\ntwo\n"), ["one [2J", "two", ""]);
});
