import assert from "node:assert/strict";
import { test } from "node:test";
import { encodingReader, namesFile, readEncodings, readRange, versionReader, wantsV2 } from "./http-headers.ts";

const CASES: readonly [header: string, best: readonly string[]][] = [
  ["", ["identity"]],
  ["gzip,deflate", ["gzip", "identity"]],
  ["gzip, deflate, br, zstd", ["br", "gzip", "identity"]],
  ["br;q=0.5, gzip;q=0.8", ["gzip", "br", "identity"]],
  ["br;q=0, gzip", ["gzip", "identity"]],
  ["gzip;q=0", ["identity"]],
  ["gzip;q=0.000", ["identity"]],
  ["*", ["br", "gzip", "identity"]],
  ["*;q=0", ["identity"]],
  ["gzip;q=0, *", ["br", "identity"]],
  ["identity", ["identity"]],
  ["identity, gzip;q=0.5", ["identity", "gzip"]],
  ["identity;q=0, gzip", ["gzip", "identity"]],
  ["x-gzip", ["gzip", "identity"]],
  ["GZIP ; Q=0.3", ["gzip", "identity"]],
  ["gzip;q=2, br;q=x", ["identity"]],
  [",,;;,", ["identity"]],
];

for (const [header, best] of CASES) {
  test(`Accept-Encoding "${header}" takes ${best.join(", then ")}`, () => {
    assert.deepEqual(readEncodings(header), best);
  });
}

test("the reader caches what it parsed, and ignores what is too long", () => {
  const read = encodingReader();
  assert.equal(read("gzip"), read("gzip"));
  assert.deepEqual(read(undefined), ["identity"]);
  assert.deepEqual(read(`gzip,${"x".repeat(1_000)}`), ["identity"]);
  for (let n = 0; n < 1_000; n += 1) assert.deepEqual(read(`gzip, x${n}`), ["gzip", "identity"]);
});

const V2 = "application/vnd.kicad.pcm.v2+json";

test("version 2 of the schema is for clients that name its type and do not prefer another one", () => {
  for (const header of [
    V2,
    `${V2}, application/json;q=0.9`,
    `application/json, ${V2}`,
    `text/html, ${V2.toUpperCase()} ; q=0.5, */*;q=0.1`,
  ]) {
    assert.ok(wantsV2(header), header);
  }
  for (const header of [
    "",
    "*/*",
    "application/*",
    "application/json",
    `${V2};q=0`,
    `application/json, ${V2};q=0.9`,
    "application/vnd.kicad.pcm.v3+json",
    `${V2}x`,
  ]) {
    assert.ok(!wantsV2(header), header);
  }
  const read = versionReader();
  assert.deepEqual([read(V2), read(V2), read("*/*"), read("*/*"), read(undefined)], [true, true, false, false, false]);
});

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

test("an empty file has no ranges", () => {
  assert.equal(readRange("bytes=0-", 0), "unsatisfiable");
  assert.equal(readRange("bytes=-1", 0), "unsatisfiable");
  assert.equal(readRange(undefined, 0), "whole");
  assert.equal(readRange(`bytes=${"9".repeat(400)}-`, 10), "whole");
});
