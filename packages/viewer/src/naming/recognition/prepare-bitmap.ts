import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import sharp from "sharp";
import type { Bitmap } from "./bitmap.ts";
import { lightenDarkRegions } from "./dark-regions.ts";
import { evenContrast } from "./even-contrast.ts";
import { RECOGNISER_LIMITS } from "./limits.ts";

/** `scaleX`, `scaleY`: pixels of the bitmap per pixel of the picture. */
export type PreparedBitmap = Bitmap & { scaleX: number; scaleY: number };

const MAX_PIXELS = 50_000_000;
/** Pictures up to this width have small text and are enlarged. */
const DIALOG_WIDTH = 760;

/** Makes dark text on a light background, in the size that is recognised best. Rejects if it is not a picture. */
export async function prepareBitmap(path: string): Promise<PreparedBitmap> {
  // sharp opens a path twice and fails if the file was replaced by its squeezed version in between.
  const picture = sharp(await readFile(path), { limitInputPixels: MAX_PIXELS, failOn: "error" }).autoOrient();
  const { autoOrient } = await picture.metadata();
  const fit = Math.min(1, RECOGNISER_LIMITS.maxSide / Math.max(autoOrient.width, autoOrient.height));
  const size = {
    width: Math.max(1, Math.round(autoOrient.width * fit * enlargement(autoOrient.width))),
    height: Math.max(1, Math.round(autoOrient.height * fit * enlargement(autoOrient.width))),
  };
  const { data, info } = await picture
    .flatten({ background: "#ffffff" })
    .greyscale()
    .resize(size.width, size.height, { fit: "fill", kernel: "cubic" })
    .toColourspace("b-w")
    .raw()
    .toBuffer({ resolveWithObject: true });
  const bitmap = {
    data: new Uint8Array(data.buffer, data.byteOffset, data.length),
    width: info.width,
    height: info.height,
  };
  // Each step takes up to a tenth of a second, so let other work run in between.
  lightenDarkRegions(bitmap);
  await setImmediate();
  await evenContrast(bitmap);
  await setImmediate();
  return { ...bitmap, scaleX: size.width / autoOrient.width, scaleY: size.height / autoOrient.height };
}

function enlargement(width: number): number {
  return width <= DIALOG_WIDTH ? 1.5 : 1;
}
