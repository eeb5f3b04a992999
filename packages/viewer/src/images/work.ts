import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { losslessCompressPng } from "@napi-rs/image";
import sharp from "sharp";
import { openImage, pixelsOf } from "./decode.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import { slimPng } from "./png.ts";

export { prepare } from "./prepare.ts";

// Every image is read once, so a cache would only use memory.
sharp.cache(false);
sharp.concurrency(Math.min(availableParallelism(), IMAGE_LIMITS.threadsPerPass));

export async function thumbnail(path: string, maxPixels: number): Promise<Buffer> {
  const { thumbnailPixels, thumbnailQuality } = IMAGE_LIMITS;
  // sharp opens a path twice and fails if the file was replaced by its squeezed version in between.
  return openImage(await readFile(path), maxPixels)
    .resize(thumbnailPixels, thumbnailPixels, { fit: "inside", withoutEnlargement: true })
    .webp({ quality: thumbnailQuality })
    .toBuffer();
}

/**
 * Compresses the same pixels further with oxipng, outside the event loop. The result is used only if its pixels are
 * identical.
 */
export async function squeeze(path: string, target: string): Promise<{ bytes: number } | undefined> {
  const png = await readFile(path);
  const { depth, icc } = await sharp(png).metadata();
  // A profile would be lost, and deeper pixels could not be compared. Files made here have neither.
  if (depth !== "uchar" || icc !== undefined) return undefined;
  const squeezed = slimPng(await losslessCompressPng(png, { strip: true }));
  if (squeezed === undefined || squeezed.length >= png.length) return undefined;
  const [before, after] = await Promise.all([pixelsOf(png), pixelsOf(squeezed)]);
  if (!before.equals(after)) return undefined;
  await writeFile(target, squeezed);
  return { bytes: squeezed.length };
}
