import sharp from "sharp";
import { PNG_COMPRESSION_LEVEL } from "../contract.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import { withPalette } from "./png.ts";
import { encodeInStrips } from "./strips.ts";
import { type Pixels, surveyPixels } from "./survey.ts";

/** Of PNG's filters the encoder offers none at all, or the likeliest for each row. */
export type Filtering = "none" | "adaptive";

export type Optimized = { png: Buffer; width: number; height: number; filtering: Filtering };

/**
 * The smallest PNG of exactly these pixels that is to be had in the time of one encoding, about. Few colours go into a
 * palette; of the others a photograph is tried both ways, as only of photographs the adaptive filter is the better one.
 */
export async function encodeSmallest(pixels: Pixels, isPhotographic: boolean): Promise<Optimized> {
  const { width, height } = pixels;
  const survey = surveyPixels(pixels);
  if (survey.colours !== undefined) {
    const grey = await sharp(survey.places, { raw: { width, height, channels: 1 } })
      .toColourspace("b-w")
      .png({ compressionLevel: PNG_COMPRESSION_LEVEL })
      .toBuffer();
    return { png: withPalette(grey, survey.colours), width, height, filtering: "none" };
  }
  const encode = (some: Pixels, filtering: Filtering) => encodeTrueColour(some, survey.isOpaque, filtering);
  const filtering = isPhotographic ? await likelierFiltering(sampleOf(pixels), encode) : "none";
  return { png: await encode(pixels, filtering), width, height, filtering };
}

async function encodeTrueColour(pixels: Pixels, isOpaque: boolean, filtering: Filtering): Promise<Buffer> {
  // The adaptive filter looks at the row above, which a strip of its own does not have.
  if (filtering === "adaptive") return encodeRows(pixels, isOpaque, filtering);
  return encodeInStrips(pixels, isOpaque ? 3 : 4, (strip) => encodeRows(strip, isOpaque, filtering));
}

function encodeRows({ rgba, width, height }: Pixels, isOpaque: boolean, filtering: Filtering): Promise<Buffer> {
  const image = sharp(rgba, { raw: { width, height, channels: 4 } });
  return (isOpaque ? image.removeAlpha() : image)
    .png({ compressionLevel: PNG_COMPRESSION_LEVEL, adaptiveFiltering: filtering === "adaptive" })
    .toBuffer();
}

async function likelierFiltering(
  sample: Pixels,
  encode: (pixels: Pixels, filtering: Filtering) => Promise<Buffer>,
): Promise<Filtering> {
  const [none, adaptive] = await Promise.all([encode(sample, "none"), encode(sample, "adaptive")]);
  return adaptive.length < none.length ? "adaptive" : "none";
}

/** Bands of rows from all over the image; rows within a band stay neighbours, as filters look at the row above. */
function sampleOf({ rgba, width, height }: Pixels): Pixels {
  const { trialBandRows, trialEveryBands } = IMAGE_LIMITS;
  const rowBytes = width * 4;
  const bands: Buffer[] = [];
  let rows = 0;
  for (let row = 0; row < height; row += trialBandRows * trialEveryBands) {
    const end = Math.min(row + trialBandRows, height);
    bands.push(rgba.subarray(row * rowBytes, end * rowBytes));
    rows += end - row;
  }
  return { rgba: Buffer.concat(bands), width, height: rows };
}
