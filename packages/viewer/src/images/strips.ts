import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { joinDeflated, type Part } from "./join-deflated.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import type { Pixels } from "./png.ts";
import { readChunks, writeChunks } from "./png.ts";

/** One byte before each row names its filter. */
const FILTER_BYTES = 1;
const NOT_FILTERED = 0;
const HEIGHT_AT = 4;

const inflate = promisify(zlib.inflate);

/** Encodes strips of an image at the same time and joins them into one PNG. Rows must be unfiltered. */
export async function encodeInStrips(
  pixels: Pixels,
  channels: number,
  encode: (strip: Pixels) => Promise<Buffer>,
): Promise<Buffer> {
  const { width } = pixels;
  const strips = stripsOf(pixels);
  if (strips.length === 1) return encode(pixels);
  const encoded = await Promise.all(strips.map(encode));
  const parts = strips.map(({ height }, index) => ({
    stream: pixelStreamOf(encoded[index] ?? Buffer.alloc(0)),
    length: height * (width * channels + FILTER_BYTES),
  }));
  return pngOf(encoded[0] ?? Buffer.alloc(0), pixels.height, parts);
}

/**
 * The same for filtered rows, which depend on the row above. The whole image is filtered in one quick pass without
 * compression. Then its strips are compressed at the same time, each as an image with a single long row. The encoder puts
 * the filter byte "none" before that row, so the first row of each strip is replaced by its unfiltered pixels.
 */
export async function encodeFilteredInStrips(
  pixels: Pixels,
  channels: number,
  filter: () => Promise<Buffer>,
  compress: (row: Buffer) => Promise<Buffer>,
): Promise<Buffer> {
  const { width } = pixels;
  const png = await filter();
  const filtered = await inflate(pixelStreamOf(png));
  const rowBytes = width * channels + FILTER_BYTES;
  let top = 0;
  const parts = stripsOf(pixels).map(({ rgba, height }) => {
    const strip = filtered.subarray(top * rowBytes, (top + height) * rowBytes);
    top += height;
    strip[0] = NOT_FILTERED;
    for (let x = 0; x < width; x++) rgba.copy(strip, FILTER_BYTES + x * channels, x * 4, x * 4 + channels);
    return strip;
  });
  const compressed = await Promise.all(parts.map((strip) => compress(strip.subarray(FILTER_BYTES))));
  return pngOf(
    png,
    pixels.height,
    compressed.map((one, index) => ({ stream: pixelStreamOf(one), length: parts[index]?.length ?? 0 })),
  );
}

const pixelStreamOf = (png: Buffer): Buffer =>
  Buffer.concat((readChunks(png) ?? []).filter(({ type }) => type === "IDAT").map(({ data }) => data));

/** A PNG with the header of `like`, this height, and these parts. */
async function pngOf(like: Buffer, height: number, parts: readonly Part[]): Promise<Buffer> {
  const header = Buffer.from(readChunks(like)?.find(({ type }) => type === "IHDR")?.data ?? Buffer.alloc(13));
  header.writeUInt32BE(height, HEIGHT_AT);
  return writeChunks([
    { type: "IHDR", data: header },
    { type: "IDAT", data: await joinDeflated(parts) },
    { type: "IEND", data: Buffer.alloc(0) },
  ]);
}

function stripsOf({ rgba, width, height }: Pixels): Pixels[] {
  // Two for each core: strips differ in how long they take, and the last one would leave the other cores idle.
  const atMost = Math.min(2 * availableParallelism(), IMAGE_LIMITS.threadsPerPass, height);
  const count = Math.max(1, Math.min(atMost, Math.floor((width * height) / IMAGE_LIMITS.minStripPixels)));
  const rows = Math.ceil(height / count);
  const strips: Pixels[] = [];
  for (let top = 0; top < height; top += rows) {
    const end = Math.min(top + rows, height);
    strips.push({ rgba: rgba.subarray(top * width * 4, end * width * 4), width, height: end - top });
  }
  return strips;
}
