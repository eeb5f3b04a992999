import { setImmediate } from "node:timers/promises";
import sharp from "sharp";
import type { Bitmap } from "./bitmap.ts";
import { lightenDarkRegions } from "./dark-regions.ts";
import { evenContrast } from "./even-contrast.ts";
import { RECOGNISER_LIMITS } from "./limits.ts";

/** `scaleX`, `scaleY`: pixels of the bitmap in one of the picture. */
export type PreparedBitmap = Bitmap & { scaleX: number; scaleY: number };

const MAX_PIXELS = 50_000_000;
/** Small pictures have small text: they are enlarged, larger ones are only made taller. */
const DIALOG_WIDTH = 760;

/** Dark text on light, of the size that is recognised best. Rejects what is no picture. */
export async function prepareBitmap(path: string): Promise<PreparedBitmap> {
  const picture = sharp(path, { limitInputPixels: MAX_PIXELS, failOn: "error" }).autoOrient();
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
  // Pixel by pixel, of the largest picture for a tenth of a second: others have their turn between.
  lightenDarkRegions(bitmap);
  await setImmediate();
  await evenContrast(bitmap);
  await setImmediate();
  return { ...bitmap, scaleX: size.width / autoOrient.width, scaleY: size.height / autoOrient.height };
}

function enlargement(width: number): number {
  return width <= DIALOG_WIDTH ? 1.5 : 1;
}
