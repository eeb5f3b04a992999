import assert from "node:assert/strict";
import { test } from "node:test";
import { clientFrame, FrameReader, OPCODE } from "./frames.ts";

/** A frame as a server sends it: a client's without the mask. */
function serverFrame(opcode: number, text: string): Buffer {
  const payload = Buffer.from(text);
  const head = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...head]), payload]);
}

test("frames are read whole, however they were split, and the chunk may be reused", () => {
  const texts = ["short", "x".repeat(125), "y".repeat(126), "", "z".repeat(3_000)];
  const stream = Buffer.concat(texts.map((text) => serverFrame(OPCODE.text, text)));
  for (const size of [1, 2, 3, 7, 130, stream.length]) {
    const reader = new FrameReader();
    const seen: string[] = [];
    const shared = Buffer.alloc(size);
    for (let at = 0; at < stream.length; at += size) {
      const length = stream.copy(shared, 0, at, at + size);
      reader.read(shared.subarray(0, length), (opcode, payload) => {
        assert.equal(opcode, OPCODE.text);
        seen.push(payload.toString());
      });
      shared.fill(0xff);
    }
    assert.deepEqual(seen, texts);
  }
});

test("a client's frame is masked, with a mask that is not zero, and gives its payload back", () => {
  for (const text of ["", "a register message", "long ".repeat(100)]) {
    const frame = clientFrame(OPCODE.text, Buffer.from(text));
    assert.equal(frame[0], 0x81);
    assert.equal((frame[1] ?? 0) & 0x80, 0x80);
    const maskAt = text.length < 126 ? 2 : 4;
    const mask = frame.subarray(maskAt, maskAt + 4);
    assert.ok(mask.some((byte) => byte !== 0));
    const payload = frame.subarray(maskAt + 4).map((byte, index) => byte ^ (mask[index & 3] ?? 0));
    assert.equal(Buffer.from(payload).toString(), text);
  }
});

test("a fragmented, a masked and a huge frame are faults", () => {
  for (const bytes of [
    [0x01, 0x00],
    [0x81, 0x80],
    [0x81, 127],
    [0xc1, 0x00],
  ]) {
    assert.throws(() => new FrameReader().read(Buffer.from(bytes), () => {}));
  }
});
