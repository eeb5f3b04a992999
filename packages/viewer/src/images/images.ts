import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { VIEWER_LIMITS } from "@backplane/contract/viewer";
import { limitConcurrency } from "@backplane/kit/concurrency";
import { losslessCompressPng } from "@napi-rs/image";
import sharp from "sharp";
import type { Images } from "../services.ts";
import { openImage, pixelsOf } from "./decode.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import { slimPng } from "./png.ts";
import { prepare } from "./prepare.ts";

type Limits = Pick<typeof VIEWER_LIMITS, "maxPixels" | "imagesAtOnce">;

/** Everything that touches pixels. Memory is bounded by the number of open images and the size of each. */
export function createImages({ limits = VIEWER_LIMITS }: { limits?: Limits } = {}): Images {
  const { maxPixels, imagesAtOnce } = limits;
  // Every image is read once, so a cache would only use memory.
  sharp.cache(false);
  sharp.concurrency(Math.min(availableParallelism(), IMAGE_LIMITS.threadsPerPass));
  const inTurn = limitConcurrency({ atOnce: imagesAtOnce });
  const oneByOne = limitConcurrency({ atOnce: 1 });
  const running = new Set<Promise<unknown>>();
  const track = <T>(task: Promise<T>): Promise<T> => {
    const ended = task.then(
      () => {},
      () => {},
    );
    running.add(ended);
    void ended.then(() => running.delete(ended));
    return task;
  };
  return {
    prepare: (upload) => track(inTurn(() => prepare(upload, maxPixels))),
    squeeze: (path, target) => track(oneByOne(() => squeeze(path, target))),
    thumbnail: (path) => track(inTurn(() => thumbnail(path, maxPixels))),
    async close() {
      await Promise.all(running);
    },
  };
}

async function thumbnail(path: string, maxPixels: number): Promise<Buffer> {
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
async function squeeze(path: string, target: string): Promise<{ bytes: number } | undefined> {
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
