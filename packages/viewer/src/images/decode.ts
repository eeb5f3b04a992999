import { MAX_DIMENSION } from "@backplane/contract/viewer";
import sharp, { type Sharp, type SharpOptions } from "sharp";
import { refuse } from "./inspect.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import type { Pixels } from "./png.ts";

/** Opens an image for one pass: only the first frame, rotated upright. Fails if it takes too long or pixels are missing. */
export function openImage(image: string | Buffer, maxPixels: number, options: SharpOptions = {}): Sharp {
  return sharp(image, { limitInputPixels: maxPixels, failOn: "error", ...options })
    .timeout({ seconds: IMAGE_LIMITS.passTimeoutS })
    .autoOrient();
}

/** In sRGB; larger images are resized in proportion, smaller ones keep their size. */
export async function decodeOptimized(path: string, maxPixels: number): Promise<Pixels> {
  const { data, info } = await openImage(path, maxPixels)
    .resize(MAX_DIMENSION, MAX_DIMENSION, { fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true })
    .catch(refuse);
  return { data, channels: info.channels === 4 ? 4 : 3, width: info.width, height: info.height };
}

/** As RGBA, so that images with a palette, grey images and opaque alpha channels can be compared. */
export async function pixelsOf(png: string | Buffer): Promise<Buffer> {
  return sharp(png, { failOn: "error" }).toColourspace("srgb").ensureAlpha().raw({ depth: "uchar" }).toBuffer();
}
