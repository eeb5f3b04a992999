import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import { Problem } from "@backplane/kit/problems";
import fc from "fast-check";
import sharp from "sharp";
import { isLongRun, someOf, trials } from "../../../../scripts/testing/long.ts";
import { assertSameBytes } from "../../../../scripts/testing/same-bytes.ts";
import { createImages } from "./images.ts";
import { refuse } from "./inspect.ts";
import { PNG_SIGNATURE, readChunks, slimPng, writeChunks } from "./png.ts";
import { bomb, drawnScreen, noise, solid, temporaryFolder, uploadOf } from "./samples.suite.ts";

const images = createImages();
const REFUSALS = ["not-an-image", "image-too-large", "image-damaged"];

async function outcomeOf(folder: string, image: Buffer): Promise<string> {
  try {
    await images.prepare(uploadOf(folder, image));
    return "kept";
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

const ftyp = (brands: string) =>
  Buffer.concat([Buffer.from([0, 0, 0, 8 + brands.length]), Buffer.from(`ftyp${brands}`)]);

test("a file that is not an image is refused by its bytes, whatever its name", async (t) => {
  const folder = temporaryFolder(t);
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><image href="file:///etc/hostname"/></svg>';
  const wrong: Record<string, Buffer> = {
    empty: Buffer.alloc(0),
    "one byte": Buffer.from([0x89]),
    html: Buffer.from("<!doctype html><html><body>hi"),
    svg: Buffer.from(svg),
    "svg with a declaration": Buffer.from(`\ufeff<?xml version="1.0"?> <!-- -->${svg}`),
    "huge svg": Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="200000" height="200000"/>'),
    "gzipped svg": gzipSync(svg),
    pdf: Buffer.from("%PDF-1.7\n1 0 obj\n<<>>\nendobj"),
    zip: Buffer.concat([Buffer.from("PK\x03\x04"), deflateRawSync("hello")]),
    mp4: ftyp("isom\0\0\x02\0isomiso2avc1mp41"),
    heic: ftyp("heic\0\0\0\0mif1heic"),
    bmp: Buffer.concat([Buffer.from("BM\x3a\0\0\0\0\0\0\0\x36\0\0\0"), Buffer.alloc(44)]),
    ico: Buffer.from([0, 0, 1, 0, 1, 0, 16, 16, 0, 0]),
    text: Buffer.from("a screenshot"),
    json: Buffer.from('{"image":true}'),
    elf: Buffer.from("\x7fELF\x02\x01\x01\0\0\0", "latin1"),
    wav: Buffer.from("RIFF\x24\0\0\0WAVEfmt "),
    mp3: Buffer.from("ID3\x04\0\0\0\0"),
    "data address": Buffer.from("data:image/png;base64,iVBORw0KGgo="),
    postscript: Buffer.from("%!PS-Adobe-3.0\n(/etc/hostname) (r) file"),
    ppm: Buffer.from("P6 1 1 255\n\0\0\0"),
    zeros: Buffer.alloc(1_000),
    "a PNG after a blank": Buffer.concat([Buffer.from(" "), PNG_SIGNATURE]),
  };
  for (const [name, image] of Object.entries(wrong)) assert.equal(await outcomeOf(folder, image), "not-an-image", name);
  assert.equal(readdirSync(folder).length, Object.keys(wrong).length, "nothing but the uploads is left");
});

test("a header alone is a damaged image", async (t) => {
  const folder = temporaryFolder(t);
  const beginnings = [
    PNG_SIGNATURE,
    "\xff\xd8\xff\xe0",
    "GIF89a",
    "RIFF\x10\0\0\0WEBPVP8 ",
    "II*\0",
    ftyp("avif\0\0\0\0mif1avif"),
  ];
  for (const beginning of beginnings) {
    const image = typeof beginning === "string" ? Buffer.from(beginning, "latin1") : beginning;
    assert.equal(await outcomeOf(folder, image), "image-damaged", String(beginning));
  }
});

test("more than 50 million pixels are refused from the header alone, in milliseconds and without allocating them", async (t) => {
  const folder = temporaryFolder(t);
  const bombs = [bomb(30_000, 30_000), bomb(50_000_001, 1), bomb(7_072, 7_071)];
  const before = process.memoryUsage.rss();
  for (const image of bombs) {
    const startMs = performance.now();
    assert.equal(await outcomeOf(folder, image), "image-too-large");
    // Decoding would take seconds; a busy machine gets some time.
    assert.ok(performance.now() - startMs < 1_000);
  }
  assert.ok(process.memoryUsage.rss() - before < 100_000_000);
  await assert.rejects(images.prepare(uploadOf(folder, bomb(30_000, 30_000))), { message: /30000 × 30000 pixels/ });
});

test("an image whose header has the wrong size is damaged", async (t) => {
  const image = bomb(2_000, 2_000);
  const lying = bomb(6_000, 6_000);
  // The header of one image with the pixels of the other.
  const mixed = Buffer.concat([lying.subarray(0, 33), image.subarray(33)]);
  assert.equal(await outcomeOf(temporaryFolder(t), mixed), "image-damaged");
});

const CUTS = Array.from({ length: 20 }, (_, place) => place);

test(`an image that is cut off at any of ${isLongRun ? 20 : 5} places is refused, in every type`, async (t) => {
  const folder = temporaryFolder(t);
  const screen = await drawnScreen(400, 300);
  const types: Record<string, Buffer> = {
    png: screen,
    interlaced: await sharp(screen).png({ progressive: true }).toBuffer(),
    jpeg: await sharp(screen).jpeg().toBuffer(),
    progressive: await sharp(screen).jpeg({ progressive: true }).toBuffer(),
    webp: await sharp(screen).webp().toBuffer(),
    "lossless webp": await sharp(screen).webp({ lossless: true }).toBuffer(),
    avif: await sharp(screen).avif({ effort: 0 }).toBuffer(),
  };
  for (const [nth, [name, image]] of Object.entries(types).entries()) {
    for (const place of someOf(CUTS, 4, nth)) {
      const length = Math.floor((image.length * place) / 20);
      const outcome = await outcomeOf(folder, image.subarray(0, length));
      assert.equal(outcome, length === 0 ? "not-an-image" : "image-damaged", `${name}, ${length} of ${image.length}`);
    }
  }
  for (const cut of someOf(CUTS, 4)) {
    const missing = cut + 1;
    assert.equal(
      await outcomeOf(folder, screen.subarray(0, -missing)),
      "image-damaged",
      `PNG without ${missing} bytes`,
    );
  }
  assert.ok(
    readdirSync(folder).every((file) => /^upload-\d+$/.test(file)),
    "nothing but the uploads is left",
  );
});

const gifOf = (frames: number): Buffer => {
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 2, 0x44, 1, 0]);
  const head = Buffer.from([...Buffer.from("GIF89a"), 2, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  return Buffer.concat([head, Buffer.alloc(frame.length * frames, frame), Buffer.from(";")]);
};

test("an animation with more than 10,000 frames is refused before it is decoded", async (t) => {
  const folder = temporaryFolder(t);
  assert.equal(await outcomeOf(folder, gifOf(10_000)), "kept");
  assert.equal(await outcomeOf(folder, gifOf(10_001)), "image-too-large");
  const startMs = performance.now();
  assert.equal(await outcomeOf(folder, gifOf(2_000_000)), "image-too-large");
  const webp = await solid(4, 4, "#f00").webp().toBuffer();
  const chunk = Buffer.from("ANMF\x02\0\0\0ab", "latin1");
  assert.equal(await outcomeOf(folder, Buffer.concat([webp, Buffer.alloc(30_000_000, chunk)])), "image-too-large");
  // Decoding takes minutes.
  assert.ok(performance.now() - startMs < 10_000);
  const frames = Array.from({ length: 5 }, (_, red) => ({
    create: { width: 8, height: 8, channels: 3 as const, background: { r: red * 50, g: 0, b: 0 } },
  }));
  const joined = sharp(await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer())), {
    join: { animated: true },
  });
  for (const animated of [await joined.gif().toBuffer(), await joined.webp().toBuffer()]) {
    assert.equal((await sharp(animated).metadata()).pages, 5);
    assert.equal(await outcomeOf(folder, animated), "kept");
  }
});

test("a PNG with a million empty chunks is kept unchanged, and its chunks are not read", async (t) => {
  const [header, ...rest] = readChunks(await drawnScreen(40, 30)) ?? [];
  const piece = writeChunks([{ type: "abCd", data: Buffer.alloc(0) }]).subarray(PNG_SIGNATURE.length);
  const image = Buffer.concat([
    writeChunks(header ? [header] : []),
    Buffer.alloc(piece.length * 1_000_000, piece),
    writeChunks(rest).subarray(PNG_SIGNATURE.length),
  ]);
  assert.equal(slimPng(image), undefined);
  const { original, optimized } = await images.prepare(uploadOf(temporaryFolder(t), image));
  assertSameBytes(readFileSync(original.path), image);
  assert.ok(optimized.bytes < 10_000);
});

test("bytes after the end are kept in the original and dropped from the optimized file", async (t) => {
  const folder = temporaryFolder(t);
  const screen = Buffer.concat([await drawnScreen(200, 100), Buffer.from("PK\x03\x04 and more")]);
  const { original, optimized } = await images.prepare(uploadOf(folder, screen));
  assertSameBytes(readFileSync(original.path), screen);
  assert.ok(!readFileSync(optimized.path).includes("and more"));
});

test("a PNG with random changes is saved or refused with one of three problems, and the next one works", async (t) => {
  const folder = temporaryFolder(t);
  const screen = await drawnScreen(120, 80);
  const change = fc.record({ at: fc.nat({ max: screen.length - 1 }), byte: fc.nat({ max: 255 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const mutated = Buffer.from(screen);
      for (const { at, byte } of changes) mutated[at] = byte;
      assert.ok(["kept", ...REFUSALS].includes(await outcomeOf(folder, mutated)));
    }),
    { numRuns: trials(150) },
  );
  assert.equal(await outcomeOf(folder, screen), "kept");
});

test("an image that takes too long is called too large, not damaged", async () => {
  const [width, height] = [3_000, 3_000];
  const slow = sharp(noise(width, height), { raw: { width, height, channels: 3 } })
    .blur(2)
    .timeout({ seconds: 1 })
    .png({ compressionLevel: 9, adaptiveFiltering: true })
    .toBuffer();
  await assert.rejects(slow.catch(refuse), {
    code: "image-too-large",
    detail: "Reading the image takes more than 60 s. Paste a part of it, or a smaller copy.",
  });
  await assert.rejects(Promise.reject(new Error("VipsJpeg: premature end")).catch(refuse), { code: "image-damaged" });
});
