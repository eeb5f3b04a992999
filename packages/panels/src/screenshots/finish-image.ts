import { PANELS_LIMITS } from "@backplane/contract/panels";
import { Problem } from "@backplane/kit/problems";
import sharp from "sharp";
import { type Fitted, fitSize, type Size } from "./fit-size.ts";

export type Finished = { bytes: Buffer; original: Size; fitted: Fitted };

/** What the browser sent, as it is kept: no larger than wished, opaque, in true colours, compressed as the contract says. */
export async function finishImage(png: Buffer, maxDimension: number): Promise<Finished> {
  const image = sharp(png, { limitInputPixels: PANELS_LIMITS.maxShotPixels, failOn: "warning" });
  try {
    const { width, height, hasAlpha } = await image.metadata();
    const original = { width, height };
    const fitted = fitSize(original, maxDimension);
    // What is transparent in a page shows the paper below it.
    if (hasAlpha) image.flatten({ background: "#ffffff" });
    if (fitted.scale !== 1) image.resize(fitted.width, fitted.height, { fit: "fill" });
    // Without a filter: flat areas and text of user interfaces get smaller that way, and in half the time.
    const bytes = await image
      .removeAlpha()
      .png({ compressionLevel: PANELS_LIMITS.pngCompressionLevel, adaptiveFiltering: false, palette: false })
      .toBuffer();
    return { bytes, original, fitted };
  } catch (cause) {
    throw new Problem("shot-failed", { detail: "The picture that the browser sent cannot be read.", cause });
  }
}

/** Its memory and threads are the process's: what it remembers of pictures helps no other one. */
export function boundSharp(): void {
  sharp.cache(false);
  sharp.concurrency(1);
}
