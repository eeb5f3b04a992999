import { PANELS_LIMITS } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";

export type Size = { width: number; height: number };
export type Fitted = Size & { scale: number };

/** Shrinks the longer side to `maxDimension`; 0 keeps the size. Never enlarges. */
function fitSize({ width, height }: Size, maxDimension: number): Fitted {
  const larger = Math.max(width, height);
  if (maxDimension === 0 || larger <= maxDimension) return { width, height, scale: 1 };
  const scale = maxDimension / larger;
  const shrink = (side: number) => Math.max(1, Math.round(side * scale));
  return { width: shrink(width), height: shrink(height), scale: Math.round(scale * 10_000) / 10_000 };
}

export type Finished = { bytes: Buffer; original: Size; fitted: Fitted };

/** The image as it is stored: of the requested size, opaque, in true colour, compressed as the contract says. */
export async function finishImage(png: Buffer, maxDimension: number): Promise<Finished> {
  const sharp = await loadSharp();
  const image = sharp(png, { limitInputPixels: PANELS_LIMITS.maxShotPixels, failOn: "warning" });
  try {
    const { width, height, hasAlpha } = await image.metadata();
    const original = { width, height };
    const fitted = fitSize(original, maxDimension);
    // Transparent parts of a page are white on screen.
    if (hasAlpha) image.flatten({ background: "#ffffff" });
    if (fitted.scale !== 1) image.resize(fitted.width, fitted.height, { fit: "fill" });
    // Without a filter, flat areas and text of user interfaces get smaller, and in half the time.
    const bytes = await image
      .removeAlpha()
      .png({ compressionLevel: PANELS_LIMITS.pngCompressionLevel, adaptiveFiltering: false, palette: false })
      .toBuffer();
    return { bytes, original, fitted };
  } catch (cause) {
    throw new Problem("shot-failed", { detail: "The image from the browser cannot be read.", cause });
  }
}

/** Loaded for the first picture, because it takes much memory. Its cache and threads are shared by the whole process; caching screenshots does not help. */
async function loadSharp() {
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}
