import { constants } from "node:fs";
import { copyFile, link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { MAX_DIMENSION } from "@backplane/contract/viewer";
import type { Prepared, Upload } from "../services.ts";
import { decodeOptimized, openImage } from "./decode.ts";
import { encodeSmallest, encodeWhole, type Filtering, type Optimized, writeCompressed } from "./encode.ts";
import { type Inspected, inspect, refuse } from "./inspect.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import { slimPng } from "./png.ts";

/** Writes both files of an upload beside it. If the upload is refused, they are removed again. */
export async function prepare(upload: Upload, maxPixels: number): Promise<Prepared> {
  const optimizedPath = `${upload.path}-optimized.png`;
  const originalPath = `${upload.path}-original.png`;
  const inspected = await inspect(upload.path, maxPixels);
  const written: string[] = [];
  try {
    const [{ png: made, width, height, filtering }, pasted] = await Promise.all([
      optimize(upload, inspected, maxPixels),
      keepsPixels(inspected) ? readFile(upload.path).then(slimPng) : undefined,
    ]);
    const png = pasted !== undefined && pasted.length < made.length ? pasted : made;
    await writeFile(optimizedPath, png, { flag: "wx" });
    written.push(optimizedPath, originalPath);
    const original =
      inspected.type === "image/png"
        ? await keepPng(upload, inspected, originalPath)
        : await convertToPng(upload, inspected, originalPath, filtering, maxPixels);
    return { type: inspected.type, optimized: { path: optimizedPath, width, height, bytes: png.length }, original };
  } catch (error) {
    await Promise.all(written.map((path) => rm(path, { force: true })));
    throw error;
  }
}

async function optimize({ path, bytes }: Upload, { type, metadata }: Inspected, maxPixels: number): Promise<Optimized> {
  const { width, height } = metadata;
  const isPhotographic = type !== "image/png" || bytes > width * height * IMAGE_LIMITS.drawnBytesPerPixel;
  return encodeSmallest(await decodeOptimized(path, maxPixels), isPhotographic);
}

/**
 * Whether the pasted PNG itself, without metadata, is a candidate for the optimized file: it was not resized, rotated or
 * converted to other colours. Then the optimized file is never larger than the pasted one.
 */
function keepsPixels({ type, metadata }: Inspected): boolean {
  const { width, height, orientation = 1, icc, depth, pages = 1 } = metadata;
  const isSmall = Math.max(width, height) <= MAX_DIMENSION;
  return type === "image/png" && isSmall && orientation === 1 && icc === undefined && depth === "uchar" && pages === 1;
}

type Original = Prepared["original"];

/** A PNG is kept unchanged: as a hard link, or as a copy if the file system has no hard links. */
async function keepPng(upload: Upload, { metadata }: Inspected, target: string): Promise<Original> {
  await link(upload.path, target).catch(() => copyFile(upload.path, target, constants.COPYFILE_EXCL));
  return { path: target, width: metadata.width, height: metadata.height, bytes: upload.bytes };
}

/** Any other type is converted to PNG without loss: with its own bit depth and colour profile. */
async function convertToPng(
  upload: Upload,
  { metadata }: Inspected,
  target: string,
  filtering: Filtering,
  maxPixels: number,
): Promise<Original> {
  const { space, depth } = metadata;
  // PNG has no CMYK: it is converted to screen colours.
  const isInk = space === "cmyk";
  const image = openImage(upload.path, maxPixels, { ignoreIcc: !isInk });
  const isDeep = depth !== "uchar";
  const deep = isDeep ? image.toColourspace(space === "b-w" || space === "grey16" ? "grey16" : "rgb16") : image;
  const kept = isInk ? deep : deep.keepIccProfile();
  const { data, info } = await encodeWhole(kept, filtering).toBuffer({ resolveWithObject: true }).catch(refuse);
  if (filtering === "none") await writeFile(target, data, { flag: "wx" });
  else await writeCompressed(data, target);
  const { size } = await stat(target);
  return { path: target, width: info.width, height: info.height, bytes: size };
}
