import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { test } from "node:test";
import sharp, { type SharpOptions } from "sharp";
import { isLongRun } from "../../../../scripts/testing/long.ts";
import { assertSameBytes } from "../../../../scripts/testing/same-bytes.ts";
import { createImages } from "./images.ts";
import { readChunks } from "./png.ts";
import { drawnScreen, noise, solid, temporaryFolder, uploadOf } from "./samples.suite.ts";

const images = createImages();

/** Large ones take seconds each. */
const inLongRun = <const T extends readonly unknown[]>(...sizes: T): T | [] => (isLongRun ? sizes : []);

const rgba = (image: Buffer | string, options: SharpOptions = {}) =>
  sharp(image, options).toColourspace("srgb").ensureAlpha().raw({ depth: "uchar" }).toBuffer();

async function pixelAt(image: string, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(image, { ignoreIcc: true })
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  return [...data.subarray((y * info.width + x) * info.channels, (y * info.width + x + 1) * info.channels)];
}

function near(actual: readonly number[], expected: readonly number[], by: number): void {
  const apart = expected.map((value, at) => Math.abs(value - (actual[at] ?? Number.NaN)));
  assert.ok(
    apart.every((distance) => distance <= by),
    `${actual} is not ${expected}`,
  );
}

/** RFC 1950: 78 DA means level 9. */
const zlibHeader = (path: string) =>
  readChunks(readFileSync(path))
    ?.find(({ type }) => type === "IDAT")
    ?.data.toString("hex", 0, 2);

test("larger images are resized proportionally to 1568 px, PNG level 9; the original is kept byte for byte", async (t) => {
  const folder = temporaryFolder(t);
  for (const [width, height, expected] of [
    [1760, 440, [1568, 392]],
    ...inLongRun(
      [1760, 1100, [1568, 980]],
      [600, 1800, [523, 1568]],
      [2880, 1800, [1568, 980]],
      [1000, 3000, [523, 1568]],
    ),
    [1569, 10, [1568, 10]],
    [9000, 3, [1568, 1]],
    [3, 9000, [1, 1568]],
  ] as const) {
    // A narrow one is drawn on its side: hundreds of lines of text that are cut off take seconds.
    const isNarrow = width < 10;
    const pasted = isNarrow
      ? await sharp(await drawnScreen(height, width))
          .rotate(90)
          .png()
          .toBuffer()
      : await drawnScreen(width, height);
    const upload = uploadOf(folder, pasted);
    const prepared = await images.prepare(upload);
    const { optimized, original } = prepared;
    assert.deepEqual([optimized.width, optimized.height], expected);
    assert.deepEqual([original.width, original.height], [width, height]);
    const metadata = await sharp(optimized.path).metadata();
    assert.deepEqual([metadata.width, metadata.height, metadata.depth], [...expected, "uchar"]);
    assert.equal(zlibHeader(optimized.path), "78da");
    assert.equal(optimized.bytes, statSync(optimized.path).size);
    assert.equal(original.bytes, statSync(original.path).size);
    assertSameBytes(readFileSync(original.path), pasted);
    assertSameBytes(readFileSync(upload.path), pasted, "the upload itself is left alone");
    assert.equal(prepared.type, "image/png");
  }
});

test("photographs are filtered and compressed in strips: exactly the same pixels, level 9, smaller than unfiltered", async (t) => {
  const folder = temporaryFolder(t);
  for (const [width, height, channels] of [
    [700, 501, 3],
    [640, 480, 4],
    ...inLongRun([1568, 1568, 3], [1568, 1567, 4]),
  ] as const) {
    const raw = { width, height, channels };
    const blurred = await sharp(noise(width, height, channels), { raw })
      .blur(2)
      .raw()
      .toBuffer();
    const photo = sharp(blurred, { raw });
    const { optimized } = await images.prepare(uploadOf(folder, await photo.clone().png().toBuffer()));
    const unfiltered = await photo.clone().png({ compressionLevel: 9 }).toBuffer();
    assertSameBytes(await rgba(optimized.path), await rgba(unfiltered), `${width} x ${height} x ${channels}`);
    assert.equal(zlibHeader(optimized.path), "78da");
    assert.ok(optimized.bytes < unfiltered.length, `${optimized.bytes} of ${unfiltered.length}`);
  }
});

test("smaller ones are kept as is: the same size, exactly the same pixels", async (t) => {
  const folder = temporaryFolder(t);
  const many = await sharp(noise(300, 200), { raw: { width: 300, height: 200, channels: 3 } })
    .png()
    .toBuffer();
  const translucent = await sharp(noise(300, 200, 4), { raw: { width: 300, height: 200, channels: 4 } })
    .png()
    .toBuffer();
  const few = await sharp({
    create: { width: 90, height: 70, channels: 4, background: { r: 1, g: 2, b: 3, alpha: 0.4 } },
  })
    .composite([
      { input: Buffer.from('<svg width="40" height="40"><circle cx="20" cy="20" r="19" fill="red"/></svg>') },
    ])
    .png()
    .toBuffer();
  const grey = await solid(50, 40, "#777").toColourspace("b-w").png().toBuffer();
  const one = await solid(1, 1, "#c33").png().toBuffer();
  const whole = await drawnScreen(1568, isLongRun ? 1568 : 392);
  for (const pasted of [many, translucent, few, grey, one, whole, await drawnScreen(700, 450)]) {
    const { optimized } = await images.prepare(uploadOf(folder, pasted));
    const { width, height } = await sharp(pasted).metadata();
    assert.deepEqual([optimized.width, optimized.height], [width, height]);
    assertSameBytes(await rgba(optimized.path), await rgba(pasted));
    assert.equal(zlibHeader(optimized.path), "78da");
    assert.ok(optimized.bytes <= pasted.length, `${optimized.bytes} bytes of ${pasted.length}`);
  }
});

test("an opaque alpha channel, which browsers add, is dropped, and so is metadata", async (t) => {
  const folder = temporaryFolder(t);
  for (const size of [400, 1800]) {
    const pasted = await sharp(await drawnScreen(size, size / 2))
      .ensureAlpha()
      .withExif({ IFD0: { Copyright: "somebody@example.org" } })
      .png()
      .toBuffer();
    const { optimized, original } = await images.prepare(uploadOf(folder, pasted));
    const { hasAlpha, exif, icc, xmp } = await sharp(optimized.path).metadata();
    assert.deepEqual([hasAlpha, exif, icc, xmp], [false, undefined, undefined, undefined]);
    const types = readChunks(readFileSync(optimized.path))?.map(({ type }) => type) ?? [];
    assert.deepEqual(
      types.filter((type) => !/^(IHDR|PLTE|IDAT|IEND|pHYs)$/.test(type)),
      [],
    );
    assertSameBytes(readFileSync(original.path), pasted);
  }
});

test("the optimized file is never larger than the pasted one of the same size, however well that was compressed", async (t) => {
  const folder = temporaryFolder(t);
  const screen = await drawnScreen(640, 400);
  const first = await images.prepare(uploadOf(folder, screen));
  assert.deepEqual(
    await images.squeeze(first.optimized.path, `${folder}/squeezed`).then((made) => made !== undefined),
    true,
  );
  const best = readFileSync(`${folder}/squeezed`);
  const { optimized } = await images.prepare(uploadOf(folder, best));
  assert.ok(optimized.bytes <= best.length);
  assert.equal(zlibHeader(optimized.path), "78da");
  assertSameBytes(await rgba(optimized.path), await rgba(screen));
});

test("EXIF orientation is applied", async (t) => {
  const half = await solid(20, 40, "#00f").png().toBuffer();
  const pasted = await solid(40, 40, "#f00")
    .composite([{ input: half, left: 20, top: 0 }])
    .jpeg({ quality: 100 })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const { optimized, original } = await images.prepare(uploadOf(temporaryFolder(t), pasted));
  for (const { path } of [optimized, original]) {
    near(await pixelAt(path, 20, 4), [255, 0, 0], 4);
    near(await pixelAt(path, 20, 36), [0, 0, 255], 4);
    assert.equal((await sharp(path).metadata()).orientation, undefined);
  }
});

test("colours stay right: Display P3, CMYK and 16 bits become 8-bit sRGB; the original keeps depth and profile", async (t) => {
  const folder = temporaryFolder(t);
  const red = { r: 200, g: 60, b: 30 };
  const colour = [200, 60, 30];
  const p3 = await solid(60, 40, red).withIccProfile("p3").png().toBuffer();
  const p3Jpeg = await solid(60, 40, red)
    .withIccProfile("p3")
    .jpeg({ quality: 100, chromaSubsampling: "4:4:4" })
    .toBuffer();
  const cmyk = await solid(60, 40, red).toColourspace("cmyk").jpeg({ quality: 100 }).toBuffer();
  const deep = await sharp(new Uint16Array([200 * 257, 60 * 257, 30 * 257]), {
    raw: { width: 1, height: 1, channels: 3 },
  })
    .resize(60, 40)
    .toColourspace("rgb16")
    .png()
    .toBuffer();
  const [fromP3, fromJpeg, fromCmyk, fromDeep] = await Promise.all(
    [p3, p3Jpeg, cmyk, deep].map((pasted) => images.prepare(uploadOf(folder, pasted))),
  );
  assert.ok(fromP3 && fromJpeg && fromCmyk && fromDeep);
  near(await pixelAt(fromP3.optimized.path, 9, 9), colour, 1);
  near(await pixelAt(fromJpeg.optimized.path, 9, 9), colour, 2);
  // CMYK has fewer colours than a screen.
  near(await pixelAt(fromCmyk.optimized.path, 9, 9), colour, 40);
  near(await pixelAt(fromDeep.optimized.path, 9, 9), colour, 1);
  assert.equal((await sharp(fromDeep.optimized.path).metadata()).depth, "uchar");
  assertSameBytes(readFileSync(fromDeep.original.path), deep);

  const kept = await sharp(fromJpeg.original.path).metadata();
  assert.deepEqual(kept.icc, (await sharp(p3Jpeg).metadata()).icc);
  assertSameBytes(await rgba(fromJpeg.original.path, { ignoreIcc: true }), await rgba(p3Jpeg, { ignoreIcc: true }));
  assert.equal((await sharp(fromCmyk.original.path).metadata()).space, "srgb");
});

test("an sRGB profile changes no pixel", async (t) => {
  const raw = noise(200, 150);
  const pasted = await sharp(raw, { raw: { width: 200, height: 150, channels: 3 } })
    .withIccProfile("srgb")
    .png()
    .toBuffer();
  const { optimized } = await images.prepare(uploadOf(temporaryFolder(t), pasted));
  assertSameBytes(await sharp(optimized.path).removeAlpha().raw().toBuffer(), raw);
});

test("other types are converted to PNG without loss; of animations the first frame", async (t) => {
  const folder = temporaryFolder(t);
  const screen = await drawnScreen(320, 200);
  const frames = await Promise.all(["#f00", "#0f0", "#00f"].map((colour) => solid(60, 40, colour).png().toBuffer()));
  const animated = () => sharp(frames, { join: { animated: true } });
  const pasted: [string, Buffer][] = [
    ["image/jpeg", await sharp(screen).jpeg().toBuffer()],
    ["image/webp", await sharp(screen).webp().toBuffer()],
    ["image/gif", await sharp(screen).gif().toBuffer()],
    ["image/avif", await sharp(screen).avif({ effort: 0 }).toBuffer()],
    ["image/tiff", await sharp(screen).tiff().toBuffer()],
    ["image/webp", await animated().webp().toBuffer()],
    ["image/gif", await animated().gif().toBuffer()],
  ];
  for (const [type, image] of pasted) {
    const { optimized, original, ...prepared } = await images.prepare(uploadOf(folder, image));
    assert.equal(prepared.type, type);
    assert.equal((await sharp(original.path).metadata()).format, "png");
    const pixels = await rgba(image);
    assertSameBytes(await rgba(original.path), pixels, type);
    assertSameBytes(await rgba(optimized.path), pixels, type);
    assert.equal(zlibHeader(optimized.path), "78da");
  }
});

test("a photograph of another type is filtered, with the same pixels and its profile", async (t) => {
  const folder = temporaryFolder(t);
  const raw = { width: 700, height: 500, channels: 3 } as const;
  const photo = await sharp(noise(700, 500), { raw })
    .blur(2)
    .withIccProfile("p3")
    .jpeg({ quality: 95, chromaSubsampling: "4:4:4" })
    .toBuffer();
  const { original } = await images.prepare(uploadOf(folder, photo));
  assertSameBytes(await rgba(original.path, { ignoreIcc: true }), await rgba(photo, { ignoreIcc: true }));
  assert.deepEqual((await sharp(original.path).metadata()).icc, (await sharp(photo).metadata()).icc);
  assert.deepEqual([original.width, original.height, original.bytes], [700, 500, statSync(original.path).size]);
  const unfiltered = await sharp(photo, { ignoreIcc: true }).keepIccProfile().png({ compressionLevel: 9 }).toBuffer();
  assert.ok(original.bytes < unfiltered.length, `${original.bytes} of ${unfiltered.length}`);
});

test("16-bit images of other types stay 16-bit in the original", async (t) => {
  const values = new Uint16Array(30 * 20 * 3).map((_, at) => (at * 109) % 65_536);
  const raw = { width: 30, height: 20, channels: 3 } as const;
  const deep = sharp(values, { raw }).pipelineColourspace("rgb16").toColourspace("rgb16");
  const { original, optimized } = await images.prepare(
    uploadOf(temporaryFolder(t), await deep.tiff({ compression: "lzw" }).toBuffer()),
  );
  assert.equal((await sharp(optimized.path).metadata()).depth, "uchar");
  const kept = await sharp(original.path).metadata();
  assert.equal(kept.depth, "ushort");
  const read = await sharp(original.path).toColourspace("rgb16").raw({ depth: "ushort" }).toBuffer();
  assert.deepEqual(new Uint16Array(read.buffer, read.byteOffset, values.length), values);
});

test("many images at once are processed in turn, and all results are right", async (t) => {
  const folder = temporaryFolder(t);
  const screens = await Promise.all(Array.from({ length: 12 }, (_, at) => drawnScreen(100 + at, 60)));
  const prepared = await Promise.all(screens.map((screen) => images.prepare(uploadOf(folder, screen))));
  assert.deepEqual(
    prepared.map(({ optimized }) => optimized.width),
    screens.map((_, at) => 100 + at),
  );
  assert.equal(readdirSync(folder).length, screens.length * 3);
});

test("a thumbnail is WebP of at most 320 px", async (t) => {
  const { optimized } = await images.prepare(uploadOf(temporaryFolder(t), await drawnScreen(1000, 500)));
  const { format, width, height } = await sharp(await images.thumbnail(optimized.path)).metadata();
  assert.deepEqual([format, width, height], ["webp", 320, 160]);
});

test("existing files are not overwritten", async (t) => {
  const folder = temporaryFolder(t);
  const upload = uploadOf(folder, await drawnScreen(100, 60));
  const { optimized } = await images.prepare(upload);
  await assert.rejects(images.prepare(upload), { code: "EEXIST" });
  assert.ok(existsSync(optimized.path));
});

test("a fault of the disk is not taken for a damaged image", async (t) => {
  const folder = temporaryFolder(t);
  const drawn = await sharp(await drawnScreen(100, 60))
    .jpeg()
    .toBuffer();
  const photo = await sharp(noise(100, 60), { raw: { width: 100, height: 60, channels: 3 } })
    .blur(2)
    .jpeg()
    .toBuffer();
  for (const image of [drawn, photo]) {
    const upload = uploadOf(folder, image);
    const { optimized } = await images.prepare(upload);
    rmSync(optimized.path);
    await assert.rejects(images.prepare(upload), { code: "EEXIST" });
  }
});
