import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, deflateSync, inflateSync } from "node:zlib";
import fc from "fast-check";
import { trials } from "../../../../scripts/testing/long.ts";
import { assertSameBytes } from "../../../../scripts/testing/same-bytes.ts";
import { findLastBlock, joinDeflated } from "./join-deflated.ts";

const strategies = [constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED, constants.Z_HUFFMAN_ONLY, constants.Z_RLE];
/** Repetitive data and random data. */
const bytes = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.nat({ max: 400 })), { maxLength: 12 })
  .map((runs) =>
    Buffer.concat(runs.flatMap(([some, times]) => [Buffer.from(some), Buffer.alloc(times, some[0] ?? 0)])),
  );

test("parts that were compressed separately become one stream: stored, fixed and dynamic blocks", async () => {
  const part = fc.record({ data: bytes, level: fc.constantFrom(0, 1, 6, 9), strategy: fc.constantFrom(...strategies) });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
      const joined = await joinDeflated(
        parts.map(async ({ data, level, strategy }) => ({
          stream: deflateSync(data, { level, strategy }),
          length: data.length,
        })),
      );
      // inflate checks Adler-32, and fails on anything after the end.
      assertSameBytes(inflateSync(joined), Buffer.concat(parts.map(({ data }) => data)));
    }),
    { numRuns: trials(300) },
  );
});

test("parts with several blocks, longer than the modulus of the checksum", async () => {
  const data = Buffer.from(Uint8Array.from({ length: 400_000 }, (_, at) => (at * at) >>> 7));
  const parts = [data, data.subarray(7), data.subarray(0, 65_521), Buffer.alloc(0), data];
  const joined = await joinDeflated(
    parts.map(async (part) => ({ stream: deflateSync(part, { level: 9 }), length: part.length })),
  );
  assertSameBytes(inflateSync(joined), Buffer.concat(parts));
});

test("an incomplete stream is refused", async () => {
  const stream = deflateSync(Buffer.from("some words and some words again"), { level: 9 }).subarray(2, -4);
  assert.equal(Math.ceil((await findLastBlock(stream)).endAt / 8), stream.length);
  for (let length = 0; length < stream.length; length++) {
    await assert.rejects(() => findLastBlock(stream.subarray(0, length)), RangeError);
  }
});

test("other work runs while a large stream is read, even with millions of symbols of noise", async () => {
  const stream = deflateSync(Buffer.from(Uint8Array.from({ length: 2_000_000 }, () => Math.random() * 128))).subarray(
    2,
    -4,
  );
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 0);
  const { endAt } = await findLastBlock(stream);
  clearInterval(counting);
  assert.equal(Math.ceil(endAt / 8), stream.length);
  assert.ok(turns >= 2, `${turns} turns`);
});
