import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseMatrix, errorsOf, SWATCH } from "./colours.ts";
import { decodeYuv, MATRICES, type Matrix, planesOf, type YuvFrame } from "./yuv.ts";

const FIELD = 4;
const WIDTH = SWATCH.length * FIELD;
const HEIGHT = 4;

/** The swatch, encoded with this matrix. */
function encode({ kr, kb, isFullRange, isCut }: Matrix, format: "I420" | "NV12"): YuvFrame {
  const stride = WIDTH + 6;
  const chromaStride = format === "NV12" ? WIDTH + 2 : WIDTH / 2 + 1;
  const lumaBytes = stride * HEIGHT;
  const chromaBytes = (chromaStride * HEIGHT) / 2;
  const layout = [
    { offset: 0, stride },
    { offset: lumaBytes, stride: chromaStride },
    ...(format === "I420" ? [{ offset: lumaBytes + chromaBytes, stride: chromaStride }] : []),
  ];
  const planes = planesOf(format, layout);
  const bytes = new Uint8Array(lumaBytes + 2 * chromaBytes);
  const level = (value: number) => Math.max(0, Math.min(255, Math.round(value)));
  const chromaLevel = (value: number) => (isCut ? Math.floor(value + 1e-9) : level(value));
  for (let row = 0; row < HEIGHT; row += 1) {
    for (let column = 0; column < WIDTH; column += 1) {
      const [red, green, blue] = SWATCH[Math.floor(column / FIELD)] ?? [0, 0, 0];
      const y = kr * red + (1 - kr - kb) * green + kb * blue;
      const [u, v] = [(blue - y) / (2 * (1 - kb)), (red - y) / (2 * (1 - kr))];
      const [chroma, luma, black] = isFullRange ? [1, 1, 0] : [224 / 255, 219 / 255, 16];
      bytes[planes.y.offset + row * stride + column] = level(y * luma + black);
      const at = (row >> 1) * chromaStride + (column >> 1) * planes.chromaStep;
      bytes[planes.u.offset + at] = chromaLevel(u * chroma + 128);
      bytes[planes.v.offset + at] = chromaLevel(v * chroma + 128);
    }
  }
  return { bytes, width: WIDTH, height: HEIGHT, ...planes };
}

for (const matrix of MATRICES) {
  for (const format of ["I420", "NV12"] as const) {
    test(`a swatch in ${matrix.name}, ${format}: the matrix is found, and colours are at most 2 levels off`, () => {
      const frame = encode(matrix, format);
      assert.equal(chooseMatrix(frame), matrix);
      assert.ok(Math.max(...errorsOf(decodeYuv(frame, matrix), frame)) <= 2);
    });
  }
}

test("frames that are tagged bt709 and encoded BT.601 would be far off if the tag were trusted", () => {
  const [bt601, bt709] = MATRICES;
  assert.ok(bt601 && bt709);
  const frame = encode(bt601, "I420");
  assert.ok(Math.max(...errorsOf(decodeYuv(frame, bt709), frame)) > 15);
});

test("a picture of something else matches no matrix", () => {
  const frame = encode(MATRICES[0] as Matrix, "I420");
  frame.bytes.fill(90);
  assert.equal(chooseMatrix(frame), undefined);
});

test("every pixel is opaque and in its place", () => {
  const frame = encode(MATRICES[0] as Matrix, "I420");
  const rgba = decodeYuv(frame, MATRICES[0] as Matrix);
  assert.equal(rgba.length, WIDTH * HEIGHT * 4);
  assert.ok(rgba.every((level, index) => index % 4 !== 3 || level === 255));
  const last = (HEIGHT * WIDTH - 1) * 4;
  assert.ok(Math.abs((rgba[last + 2] ?? 0) - 120) <= 2);
});

test("a frame with too few planes is refused", () => {
  assert.throws(() =>
    planesOf("I420", [
      { offset: 0, stride: 4 },
      { offset: 16, stride: 2 },
    ]),
  );
  assert.throws(() => planesOf("NV12", [{ offset: 0, stride: 4 }]));
});
