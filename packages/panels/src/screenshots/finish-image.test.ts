import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { finishImage } from "./finish-image.ts";

/** Noise, so that nothing is compressed away and every byte counts. */
function noise(bytes: number): Buffer {
  let seed = 1;
  return Buffer.from(
    Array.from({ length: bytes }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed & 255;
    }),
  );
}

const rgbOf = (png: Buffer) => sharp(png, { failOn: "warning" }).raw().toBuffer({ resolveWithObject: true });

test("colours stay unchanged, whatever profile the image claims", async () => {
  const pixels = noise(40 * 30 * 3);
  const raw = { width: 40, height: 30, channels: 3 } as const;
  const plain = await sharp(pixels, { raw }).png().toBuffer();
  const tagged = await sharp(pixels, { raw }).withIccProfile("srgb").png().toBuffer();
  for (const png of [plain, tagged]) {
    const { data } = await rgbOf((await finishImage(png, 0)).bytes);
    assert.ok(data.every((level, at) => Math.abs(level - (pixels[at] ?? -9)) <= 1));
  }
});

test("transparent parts become white, and grey images work too", async () => {
  const clear = await sharp({ create: { width: 4, height: 4, channels: 4, background: "#0000" } })
    .png()
    .toBuffer();
  const white = await rgbOf((await finishImage(clear, 0)).bytes);
  assert.ok(white.data.every((level) => level === 255));
  const grey = await sharp(clear).flatten({ background: "#777" }).toColourspace("b-w").png().toBuffer();
  const { data, info } = await rgbOf((await finishImage(grey, 2)).bytes);
  assert.deepEqual([info.width, info.height], [2, 2]);
  assert.ok(data.every((level) => level === 0x77));
});

test("PNG compression level 9: no larger than at any other level, and pixel by pixel the same", async () => {
  const [width, height] = [300, 200];
  const pixels = Buffer.from(Array.from({ length: width * height * 3 }, (_, at) => ((at / 3) % 37 < 9 ? 240 : at % 7)));
  const png = (compressionLevel: number) =>
    sharp(pixels, { raw: { width, height, channels: 3 } })
      .png({ compressionLevel })
      .toBuffer();
  const { bytes } = await finishImage(await png(1), 0);
  assert.ok(bytes.length <= (await png(6)).length);
  assert.ok((await rgbOf(bytes)).data.equals(pixels));
});
