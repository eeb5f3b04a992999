import assert from "node:assert/strict";
import { test } from "node:test";
import { countOf, plain, plainLines, sizeOf } from "./text.ts";

test("sizes are printed in a readable unit", () => {
  const sizes = [0, 1_023, 1_024, 10_180, 422_000, 1_363_149, 27_900_000, 256 * 1024 ** 2, 5 * 1024 ** 3].map(sizeOf);
  assert.deepEqual(sizes, [
    "0 bytes",
    "1023 bytes",
    "1.0 KB",
    "9.9 KB",
    "412 KB",
    "1.3 MB",
    "27 MB",
    "256 MB",
    "5.0 GB",
  ]);
});

test("one file, two files", () => {
  assert.deepEqual(
    [countOf(1, "file"), countOf(0, "file"), countOf(2, "entry", "entries")],
    ["1 file", "0 files", "2 entries"],
  );
});

test("text from a repository cannot move the cursor, colour the terminal or fake a line", () => {
  assert.equal(plain("a\x1b[31mb\r\nc\u202e\u0007d"), "a [31mb c d");
  assert.deepEqual(plainLines("one\x1b[2J\r\ntwo\n"), ["one [2J", "two", ""]);
});
