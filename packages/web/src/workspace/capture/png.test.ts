import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, inflateSync } from "node:zlib";
import { encodePng } from "./png.ts";

type Picture = { name: string; width: number; height: number; colourAt(x: number, y: number): number };

/** A generator that gives the same colours in each run. */
function noise(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}

const next = noise();
const PICTURES: Picture[] = [
  { name: "one pixel", width: 1, height: 1, colourAt: () => 0x12_34_56 },
  { name: "one colour", width: 640, height: 300, colourAt: () => 0xaa_00_00 },
  { name: "one column", width: 1, height: 700, colourAt: (_x, y) => y >> 3 },
  { name: "one row", width: 700, height: 1, colourAt: (x) => x >> 3 },
  { name: "noise", width: 200, height: 150, colourAt: next },
  { name: "all white, where sums are largest", width: 2_500, height: 30, colourAt: () => 0xff_ff_ff },
  { name: "rows that repeat", width: 300, height: 90, colourAt: (x) => x * 7_919 },
  { name: "rows too long to repeat the one above", width: 12_000, height: 4, colourAt: (x) => x * 7_919 },
  { name: "text on a ground", width: 500, height: 200, colourAt: (x, y) => ((x * y) % 11 === 0 ? next() : 0x1c_20_25) },
  // Up to two pixels past the longest repetition, and all lengths before it.
  { name: "runs of every length", width: 90, height: 90, colourAt: (x, y) => (x < y ? 0x00_ff_00 : x * 31 + y * 17) },
];

for (const { name, width, height, colourAt } of PICTURES) {
  test(`a picture of ${name} is what it was, as a PNG`, async () => {
    const pixels = Uint32Array.from({ length: width * height }, (_, i) => {
      return (colourAt(i % width, Math.floor(i / width)) | 0xff00_0000) >>> 0;
    });
    const { header, rows } = decode(Buffer.from(await encoded(pixels, width).arrayBuffer()));
    assert.deepEqual([header.readUInt32BE(0), header.readUInt32BE(4)], [width, height]);
    assert.deepEqual([...header.subarray(8)], [8, 2, 0, 0, 0]);
    const wanted = Buffer.alloc(height * (3 * width + 1));
    for (const [i, pixel] of pixels.entries()) {
      wanted.writeUIntLE(pixel & 0xff_ffff, 3 * i + 1 + Math.floor(i / width), 3);
    }
    assert.ok(rows.equals(wanted));
  });
}

test("a picture of one colour gets small, and noise hardly larger than it is", () => {
  assert.ok(encoded(new Uint32Array(688 * 802), 688).size < 30_000);
  const pixels = Uint32Array.from({ length: 300 * 300 }, next);
  assert.ok(encoded(pixels, 300).size < pixels.length * 3 * 1.07);
});

const encoded = (pixels: Uint32Array<ArrayBuffer>, width: number): Blob =>
  encodePng({ data: new Uint8ClampedArray(pixels.buffer), width });

/** A check of every chunk, and of the stream, is part of it. */
function decode(png: Buffer): { header: Buffer; rows: Buffer } {
  assert.equal(png.toString("latin1", 0, 8), "\x89PNG\r\n\x1a\n");
  const chunks = new Map<string, Buffer>();
  for (let from = 8; from < png.length; ) {
    const end = from + 8 + png.readUInt32BE(from);
    assert.equal(png.readUInt32BE(end), crc32(png.subarray(from + 4, end)));
    chunks.set(png.toString("latin1", from + 4, from + 8), png.subarray(from + 8, end));
    from = end + 4;
  }
  assert.deepEqual([...chunks.keys()], ["IHDR", "IDAT", "IEND"]);
  return { header: chunks.get("IHDR") ?? Buffer.alloc(0), rows: inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0)) };
}
