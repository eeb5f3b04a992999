import { MAX_DIMENSION, PNG_COMPRESSION_LEVEL } from "@backplane/contract/viewer";
import sharp, { type Sharp, type SharpOptions } from "sharp";
import type { Optimized } from "./encode.ts";
import { damaged } from "./inspect.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import type { Pixels } from "./png.ts";

/** Opens an image for one pass: only the first frame, rotated upright. Fails if it takes too long or pixels are missing. */
export function openImage(image: string | Buffer, maxPixels: number, options: SharpOptions = {}): Sharp {
  return sharp(image, { limitInputPixels: maxPixels, failOn: "error", ...options })
    .timeout({ seconds: IMAGE_LIMITS.passTimeoutS })
    .autoOrient();
}

/** In sRGB; larger images are resized in proportion, smaller ones keep their size. */
const openOptimized = (path: string, maxPixels: number): Sharp =>
  openImage(path, maxPixels)
    .resize(MAX_DIMENSION, MAX_DIMENSION, { fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb");

export async function decodeOptimized(path: string, maxPixels: number): Promise<Pixels> {
  const { data, info } = await openOptimized(path, maxPixels)
    .ensureAlpha()
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true })
    .catch(refuse);
  return { rgba: data, width: info.width, height: info.height };
}

/** In one pass: rows are encoded while later ones are still decoded. For images whose pixels need not be examined. */
export async function encodeOptimized(path: string, maxPixels: number): Promise<Optimized> {
  const { data, info } = await openOptimized(path, maxPixels)
    .png({ compressionLevel: PNG_COMPRESSION_LEVEL })
    .toBuffer({ resolveWithObject: true })
    .catch(refuse);
  return { png: data, width: info.width, height: info.height, filtering: "none" };
}

function refuse(cause: unknown): never {
  throw damaged(cause);
}

/** As RGBA, so that images with a palette, grey images and opaque alpha channels can be compared. */
export async function pixelsOf(png: string | Buffer): Promise<Buffer> {
  return sharp(png, { failOn: "error" }).toColourspace("srgb").ensureAlpha().raw({ depth: "uchar" }).toBuffer();
}
