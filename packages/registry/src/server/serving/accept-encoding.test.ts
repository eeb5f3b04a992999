import assert from "node:assert/strict";
import { test } from "node:test";
import { encodingReader, readEncodings } from "./accept-encoding.ts";

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

test("the reader remembers what it read, and passes over what is too long", () => {
  const read = encodingReader();
  assert.equal(read("gzip"), read("gzip"));
  assert.deepEqual(read(undefined), ["identity"]);
  assert.deepEqual(read(`gzip,${"x".repeat(1_000)}`), ["identity"]);
  for (let n = 0; n < 1_000; n += 1) assert.deepEqual(read(`gzip, x${n}`), ["gzip", "identity"]);
});
