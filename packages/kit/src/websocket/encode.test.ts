import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closeFrame, textFrame } from "./encode.ts";
import { CHARACTERS } from "./testing/client-frames.ts";

function bytesOf(frame: string | Buffer): Buffer {
  return Buffer.from(frame as string, "latin1");
}

/** The text of one whole unmasked text frame whose length is in the shortest form. */
function textIn(frame: Buffer): string {
  assert.equal(frame[0], 0x81);
  const short = frame[1] as number;
  const [start, length] =
    short < 126 ? [2, short] : short === 126 ? [4, frame.readUInt16BE(2)] : [10, Number(frame.readBigUInt64BE(2))];
  assert.ok(length >= (short < 126 ? 0 : short === 126 ? 126 : 0x1_00_00));
  assert.equal(frame.length, start + length);
  return frame.toString("utf8", start);
}

test("a text frame holds its text, at every length at which its header changes", () => {
  for (const length of [0, 1, 125, 126, 127, 255, 256, 65_535, 65_536, 100_000]) {
    for (const text of ["x".repeat(length), `${"x".repeat(Math.max(0, length - 2))}é`]) {
      assert.equal(textIn(bytesOf(textFrame(text))), text);
    }
  }
});

test("a text frame holds any text; half a surrogate pair becomes the replacement character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...CHARACTERS) }),
      (text) => textIn(bytesOf(textFrame(text))) === text,
    ),
  );
  assert.equal(textIn(bytesOf(textFrame("\ud83d"))), "\ufffd");
});

test("a close frame holds code and reason; a reason that is too long throws", () => {
  assert.deepEqual(closeFrame(1000), Buffer.from([0x88, 2, 0x03, 0xe8]));
  assert.deepEqual(closeFrame(4_000, "é"), Buffer.from([0x88, 4, 0x0f, 0xa0, 0xc3, 0xa9]));
  assert.deepEqual(closeFrame(1005), Buffer.from([0x88, 0]));
  assert.equal(closeFrame(1001, "x".repeat(123)).length, 127);
  assert.throws(() => closeFrame(1001, "x".repeat(124)), RangeError);
});
