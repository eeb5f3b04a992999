import { PNG_COMPRESSION_LEVEL } from "@backplane/contract/viewer";
import sharp from "sharp";
import { IMAGE_LIMITS } from "./limits.ts";
import type { Pixels } from "./png.ts";
import { withPalette } from "./png.ts";
import { encodeFilteredInStrips, encodeInStrips } from "./strips.ts";

/** The encoder either uses no filter at all, or picks one of PNG's filters for each row. */
export type Filtering = "none" | "adaptive";

export type Optimized = { png: Buffer; width: number; height: number; filtering: Filtering };

/**
 * About the smallest lossless PNG that can be made in the time of one encoding. Images with few colours get a palette.
 * For photographs both kinds of filtering are tried on a sample; for other images filtering does not pay.
 */
export async function encodeSmallest(pixels: Pixels, isPhotographic: boolean): Promise<Optimized> {
  const { width, height } = pixels;
  const survey = surveyPixels(pixels);
  if (survey.colours !== undefined) {
    const grey = await encodeGrey(survey.places, width, height);
    return { png: withPalette(grey, survey.colours), width, height, filtering: "none" };
  }
  const { isOpaque } = survey;
  const tried = isPhotographic ? await tryFiltering(sampleOf(pixels), isOpaque) : { filtering: "none" as const };
  return { png: await encodeTrueColour(pixels, isOpaque, tried), width, height, filtering: tried.filtering };
}

type Tried = { filtering: "none" } | { filtering: "adaptive"; bytesPerPixel: number };

function encodeTrueColour(pixels: Pixels, isOpaque: boolean, tried: Tried): Promise<Buffer> {
  const channels = isOpaque ? 3 : 4;
  if (tried.filtering === "none") {
    return encodeInStrips(pixels, channels, (strip) => encodeRows(strip, isOpaque, "none"));
  }
  if (tried.bytesPerPixel < IMAGE_LIMITS.slowBytesPerPixel) return encodeRows(pixels, isOpaque, "adaptive");
  const filter = () => encodeRows(pixels, isOpaque, "adaptive", NOT_COMPRESSED);
  return encodeFilteredInStrips(pixels, channels, filter, encodeRow);
}

const NOT_COMPRESSED = 0;
/** Tells which filtering is smaller in a fraction of the time. */
const TRIAL_LEVEL = 6;

function encodeRows(
  { rgba, width, height }: Pixels,
  isOpaque: boolean,
  filtering: Filtering,
  compressionLevel: number = PNG_COMPRESSION_LEVEL,
): Promise<Buffer> {
  const image = sharp(rgba, { raw: { width, height, channels: 4 } });
  return (isOpaque ? image.removeAlpha() : image)
    .png({ compressionLevel, adaptiveFiltering: filtering === "adaptive" })
    .toBuffer();
}

/** One row, one byte per pixel. */
const encodeRow = (row: Buffer): Promise<Buffer> => encodeGrey(row, row.length, 1);

function encodeGrey(bytes: Buffer, width: number, height: number): Promise<Buffer> {
  return sharp(bytes, { raw: { width, height, channels: 1 } })
    .toColourspace("b-w")
    .png({ compressionLevel: PNG_COMPRESSION_LEVEL })
    .toBuffer();
}

async function tryFiltering(sample: Pixels, isOpaque: boolean): Promise<Tried> {
  const [none, adaptive] = await Promise.all([
    encodeRows(sample, isOpaque, "none", TRIAL_LEVEL),
    encodeRows(sample, isOpaque, "adaptive", TRIAL_LEVEL),
  ]);
  if (none.length <= adaptive.length) return { filtering: "none" };
  return { filtering: "adaptive", bytesPerPixel: adaptive.length / (sample.width * sample.height) };
}

/** Bands of rows from all over the image. Rows within a band stay together, because filters use the row above. */
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

export type Survey =
  /** Few enough colours for a palette: each as 0xAABBGGRR, and for every pixel its index. */
  { colours: number[]; places: Buffer } | { colours: undefined; isOpaque: boolean };

const SLOTS = 1_024;
const OPAQUE = 0xff00_0000;

/** Finds out which kind of PNG fits these pixels. Images with many colours usually stop the scan early. */
function surveyPixels({ rgba, width, height }: Pixels): Survey {
  const pixels = asWords(rgba);
  const places = Buffer.allocUnsafe(width * height);
  const colours: number[] = [];
  const slotColour = new Uint32Array(SLOTS);
  const slotPlace = new Int16Array(SLOTS).fill(-1);
  let last = 0;
  let lastPlace = -1;
  for (let i = 0; i < pixels.length; i++) {
    const colour = pixels[i] ?? 0;
    if (colour !== last || lastPlace === -1) {
      let slot = Math.imul(colour, 0x9e37_79b1) >>> 22;
      while (slotPlace[slot] !== -1 && slotColour[slot] !== colour) slot = (slot + 1) % SLOTS;
      if (slotPlace[slot] === -1) {
        if (colours.length === IMAGE_LIMITS.maxPaletteColours)
          return { colours: undefined, isOpaque: isOpaque(pixels) };
        slotColour[slot] = colour;
        slotPlace[slot] = colours.length;
        colours.push(colour);
      }
      last = colour;
      lastPlace = slotPlace[slot] ?? 0;
    }
    places[i] = lastPlace;
  }
  return { colours, places };
}

function isOpaque(pixels: Uint32Array): boolean {
  for (let i = 0; i < pixels.length; i++) if (((pixels[i] ?? 0) & OPAQUE) !== (OPAQUE | 0)) return false;
  return true;
}

/** Little-endian, like every machine that Node runs on. */
function asWords(rgba: Buffer): Uint32Array {
  const aligned = rgba.byteOffset % 4 === 0 ? rgba : new Uint8Array(rgba);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, rgba.length / 4);
}
