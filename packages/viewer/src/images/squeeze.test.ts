import assert from "node:assert/strict";
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import sharp from "sharp";
import { assertSameBytes } from "../../../../scripts/testing/same-bytes.ts";
import { createImages } from "./images.ts";
import { readChunks } from "./png.ts";
import { drawnScreen, noise, solid, temporaryFolder, uploadOf } from "./samples.suite.ts";

const images = createImages();
const rgba = (path: string) => sharp(path).toColourspace("srgb").ensureAlpha().raw().toBuffer();

test("squeezing keeps the pixels in fewer bytes, still level 9, and leaves the first file alone", async (t) => {
  const folder = temporaryFolder(t);
  for (const size of [600, 2_000]) {
    const { optimized } = await images.prepare(uploadOf(folder, await drawnScreen(size, 400)));
    const before = readFileSync(optimized.path);
    const target = join(folder, `squeezed-${size}`);
    const squeezed = await images.squeeze(optimized.path, target);
    assert.ok(squeezed !== undefined && squeezed.bytes < optimized.bytes);
    assert.equal(squeezed.bytes, statSync(target).size);
    assertSameBytes(await rgba(target), await rgba(optimized.path));
    assertSameBytes(readFileSync(optimized.path), before);
    const idat = readChunks(readFileSync(target))?.find(({ type }) => type === "IDAT");
    assert.equal(idat?.data.toString("hex", 0, 2), "78da");
  }
});

test("transparency stays, with the colours of transparent pixels", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "translucent.png");
  const raw = noise(64, 48, 4).map((byte, at) => (at % 4 === 3 ? (byte & 1) * 255 : byte & 0xf0));
  await sharp(raw, { raw: { width: 64, height: 48, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toFile(path);
  const target = join(folder, "squeezed");
  assert.ok(await images.squeeze(path, target));
  assertSameBytes(await rgba(target), Buffer.from(raw));
});

test("writes nothing if the file cannot be made smaller, or would lose depth or a profile", async (t) => {
  const folder = temporaryFolder(t);
  const target = join(folder, "squeezed");
  const { optimized } = await images.prepare(uploadOf(folder, await drawnScreen(300, 200)));
  const best = join(folder, "best");
  const smallest = (await images.squeeze(optimized.path, best)) === undefined ? optimized.path : best;
  const profiled = join(folder, "profiled.png");
  await solid(300, 200, "#123").withIccProfile("p3").png({ compressionLevel: 0 }).toFile(profiled);
  const deep = join(folder, "deep.png");
  await solid(300, 200, "#123").toColourspace("rgb16").png({ compressionLevel: 0 }).toFile(deep);
  for (const path of [smallest, profiled, deep]) assert.equal(await images.squeeze(path, target), undefined);
  assert.ok(!existsSync(target));
});

test("a thumbnail can be made while squeezed files replace the file", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "optimized.png");
  const squeezed = join(folder, "squeezed");
  writeFileSync(
    path,
    await sharp(await drawnScreen(600, 400))
      .ensureAlpha()
      .png({ compressionLevel: 1 })
      .toBuffer(),
  );
  assert.ok(await images.squeeze(path, squeezed));
  const versions = [readFileSync(path), readFileSync(squeezed)] as const;
  let isDone = false;
  const replaceOften = async () => {
    for (let turn = 0; !isDone; turn += 1) {
      writeFileSync(squeezed, versions[turn % 2 ? 0 : 1]);
      renameSync(squeezed, path);
      await setImmediate();
    }
  };
  const replacing = replaceOften();
  try {
    for (let times = 0; times < 8; times += 1) assert.ok((await images.thumbnail(path)).length > 100);
  } finally {
    isDone = true;
    await replacing;
  }
});

test("rejects a file that is not an image, and keeps working", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "text");
  writeFileSync(path, "no image");
  await assert.rejects(images.squeeze(path, join(folder, "squeezed")));
  await assert.rejects(images.squeeze(join(folder, "absent"), join(folder, "squeezed")));
  const screen = join(folder, "screen.png");
  writeFileSync(screen, await drawnScreen(300, 200));
  assert.ok(await images.squeeze(screen, join(folder, "squeezed")));
});

test("does not block the event loop", async (t) => {
  const folder = temporaryFolder(t);
  const { optimized } = await images.prepare(uploadOf(folder, await drawnScreen(1_500, 1_000)));
  let turns = 0;
  const ticking = setInterval(() => turns++, 1);
  t.after(() => clearInterval(ticking));
  await images.squeeze(optimized.path, join(folder, "squeezed"));
  assert.ok(turns >= 10, `${turns} turns`);
});

test("closing waits for running work", async (t) => {
  const folder = temporaryFolder(t);
  const own = createImages();
  const upload = uploadOf(folder, await drawnScreen(800, 400));
  let done = false;
  const prepared = own.prepare(upload).then(() => {
    done = true;
  });
  await own.close();
  await Promise.resolve();
  assert.ok(done);
  await prepared;
});
