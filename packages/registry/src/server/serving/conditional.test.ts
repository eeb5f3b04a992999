import assert from "node:assert/strict";
import { test } from "node:test";
import { readRange } from "./byte-range.ts";
import { namesFile } from "./conditional.ts";

const SHA = "a".repeat(64);

test("If-None-Match names a file by the tag of any of its forms, alone, in a list, weak, or by *", () => {
  for (const header of ["*", `"${SHA}"`, `"${SHA}-gzip"`, `W/"${SHA}-br"`, `"x", "${SHA}"`, ` "${SHA}" `]) {
    assert.ok(namesFile(header, SHA), header);
  }
  for (const header of [
    "",
    SHA,
    `"${SHA}`,
    `"${SHA}-zstd"`,
    `"${SHA.slice(1)}"`,
    `"x${SHA}"`,
    '"',
    ",,",
    `"${SHA}x"`,
  ]) {
    assert.ok(!namesFile(header, SHA), header);
  }
});

test("a file of no bytes has no part", () => {
  assert.equal(readRange("bytes=0-", 0), "unsatisfiable");
  assert.equal(readRange("bytes=-1", 0), "unsatisfiable");
  assert.equal(readRange(undefined, 0), "whole");
  assert.equal(readRange(`bytes=${"9".repeat(400)}-`, 10), "whole");
});
