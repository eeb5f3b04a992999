import assert from "node:assert/strict";
import { createHash } from "node:crypto";

/**
 * For files, pictures and archives. Of two arrays that differ, `assert.deepEqual` draws a picture whose size is the
 * square of theirs: with 30 kB it takes 20 GB.
 */
export function assertSameBytes(actual: Uint8Array, expected: Uint8Array, message?: string): void {
  assert.deepEqual(factsOf(actual), factsOf(expected), message);
}

const factsOf = (bytes: Uint8Array) => ({
  bytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
  begin: Buffer.from(bytes.subarray(0, 120)).toString("latin1"),
});
