import { writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import zlib, { type ZlibOptions } from "node:zlib";
import { PNG_COMPRESSION_LEVEL } from "@backplane/contract/viewer";
import sharp, { type Sharp } from "sharp";
import { IMAGE_LIMITS } from "./limits.ts";
import { FILTER_BYTES, isPixels, type Pixels, pixelStreamOf, readChunks, withPixels, writePng } from "./png.ts";
import { compressInStrips } from "./strips.ts";

/** The encoder either uses no filter at all, or picks one of PNG's filters for each row. */
export type Filtering = "none" | "adaptive";

export type Optimized = { png: Buffer; width: number; height: number; filtering: Filtering };

const inflate = promisify(zlib.inflate) as (data: Buffer, options: ZlibOptions) => Promise<Buffer>;
const deflate = promisify(zlib.deflate) as (data: Buffer, options: ZlibOptions) => Promise<Buffer>;

/**
 * About the smallest lossless PNG that can be made in the time of one encoding. Images with few colours get a palette.
 * For photographs both kinds of filtering are tried on a sample; for other images filtering does not pay.
 */
export async function encodeSmallest(decoded: Pixels, isPhotographic: boolean): Promise<Optimized> {
  const { width, height } = decoded;
  const few = findColours(decoded);
  if (few !== undefined) {
    const stream = await compressInStrips(few.indexes, compressRows);
    return { png: writePng(few.indexes, stream, few.colours), width, height, filtering: "none" };
  }
  const pixels = hasOpaqueAlpha(decoded) ? await withoutAlpha(decoded) : decoded;
  const filtering = isPhotographic ? await tryFiltering(sampleOf(pixels)) : "none";
  const stream = await compressInStrips(pixels, filtering === "none" ? compressRows : compressFilteredRows);
  return { png: writePng(pixels, stream), width, height, filtering };
}

const openPixels = ({ data, ...raw }: Pixels): Sharp => sharp(data, { raw });

async function withoutAlpha(pixels: Pixels): Promise<Pixels> {
  return { ...pixels, data: await openPixels(pixels).removeAlpha().raw().toBuffer(), channels: 3 };
}

async function compressRows(strip: Pixels): Promise<Buffer> {
  const image = strip.channels === 1 ? openPixels(strip).toColourspace("b-w") : openPixels(strip);
  return pixelStreamOf(await image.png({ compressionLevel: PNG_COMPRESSION_LEVEL }).toBuffer());
}

const NOT_COMPRESSED = 0;
const NOT_FILTERED = 0;
/**
 * Filtered photographs are small numbers in no order. In a large window, the highest compression level compares each of
 * them with thousands of others and finds little: ten times the time for a sixth fewer bytes, which squeezing saves later.
 */
const FILTERED_ROWS = { level: PNG_COMPRESSION_LEVEL, windowBits: 9, strategy: zlib.constants.Z_FILTERED };

/** Filters a strip, then replaces its first row, which the row above is not known to, by the unfiltered pixels. */
async function compressFilteredRows(strip: Pixels): Promise<Buffer> {
  const { data, channels, width, height } = strip;
  const png = await openPixels(strip).png({ compressionLevel: NOT_COMPRESSED, adaptiveFiltering: true }).toBuffer();
  // In one piece: otherwise every 16 KB are a turn of the event loop.
  const chunkSize = data.length + height * FILTER_BYTES;
  const filtered = await inflate(pixelStreamOf(png), { chunkSize });
  filtered[0] = NOT_FILTERED;
  data.copy(filtered, FILTER_BYTES, 0, width * channels);
  return deflate(filtered, { ...FILTERED_ROWS, chunkSize });
}

/** For a whole image: filtered, and compressed only so much that it fits into memory. */
const QUICK_LEVEL = 1;
const PIECE_BYTES = 256 * 1_024;

/** The image as it is, with its profile and depth. Filtered ones have to be compressed again. */
export const encodeWhole = (image: Sharp, filtering: Filtering): Sharp =>
  filtering === "none"
    ? image.png({ compressionLevel: PNG_COMPRESSION_LEVEL })
    : image.png({ compressionLevel: QUICK_LEVEL, adaptiveFiltering: true });

/** In pieces, so that a large image never exists unpacked. */
export async function writeCompressed(png: Buffer, target: string): Promise<void> {
  const chunks = readChunks(png) ?? [];
  await pipeline(
    chunks.filter(isPixels).map(({ data }) => data),
    zlib.createInflate({ chunkSize: PIECE_BYTES }),
    zlib.createDeflate({ ...FILTERED_ROWS, chunkSize: PIECE_BYTES }),
    (pieces: AsyncIterable<Buffer>) => writeFile(target, withPixels(chunks, pieces), { flag: "wx" }),
  );
}

/** On a sample, with the encoders themselves. */
async function tryFiltering(sample: Pixels): Promise<Filtering> {
  const [none, adaptive] = await Promise.all([compressRows(sample), compressFilteredRows(sample)]);
  return adaptive.length < none.length ? "adaptive" : "none";
}

/** Bands of rows from all over the image. Rows within a band stay together, because filters use the row above. */
function sampleOf({ data, channels, width, height }: Pixels): Pixels {
  const { trialBandRows, trialEveryBands } = IMAGE_LIMITS;
  const rowBytes = width * channels;
  const bands: Buffer[] = [];
  let rows = 0;
  for (let row = 0; row < height; row += trialBandRows * trialEveryBands) {
    const end = Math.min(row + trialBandRows, height);
    bands.push(data.subarray(row * rowBytes, end * rowBytes));
    rows += end - row;
  }
  return { data: Buffer.concat(bands), channels, width, height: rows };
}

const SLOTS = 1_024;
const OPAQUE = 255;

/** Few enough colours for a palette: each as 0xAABBGGRR, and for every pixel its index. */
type FewColours = { colours: number[]; indexes: Pixels };

/** Images with many colours usually stop the scan early. */
function findColours({ data, channels, width, height }: Pixels): FewColours | undefined {
  const indexes = Buffer.allocUnsafe(width * height);
  const colours: number[] = [];
  const slotColour = new Int32Array(SLOTS);
  const slotIndex = new Int32Array(SLOTS).fill(-1);
  let last = 0;
  let lastIndex = -1;
  for (let pixel = 0, at = 0; pixel < indexes.length; pixel += 1, at += channels) {
    const alpha = channels === 4 ? (data[at + 3] ?? 0) : OPAQUE;
    const colour = (data[at] ?? 0) | ((data[at + 1] ?? 0) << 8) | ((data[at + 2] ?? 0) << 16) | (alpha << 24);
    if (colour !== last || lastIndex === -1) {
      let slot = Math.imul(colour, 0x9e37_79b1) >>> 22;
      while (slotIndex[slot] !== -1 && slotColour[slot] !== colour) slot = (slot + 1) % SLOTS;
      if (slotIndex[slot] === -1) {
        if (colours.length === IMAGE_LIMITS.maxPaletteColours) return undefined;
        slotColour[slot] = colour;
        slotIndex[slot] = colours.length;
        colours.push(colour);
      }
      last = colour;
      lastIndex = slotIndex[slot] ?? 0;
    }
    indexes[pixel] = lastIndex;
  }
  return { colours, indexes: { data: indexes, channels: 1, width, height } };
}

function hasOpaqueAlpha({ data, channels }: Pixels): boolean {
  if (channels !== 4) return false;
  for (let at = 3; at < data.length; at += 4) if (data[at] !== OPAQUE) return false;
  return true;
}
