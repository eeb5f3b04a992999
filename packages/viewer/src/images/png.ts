import { crc32 } from "node:zlib";
import { IMAGE_LIMITS } from "./limits.ts";

/** PNG (W3C): a signature, then chunks of length, type, data and CRC. */
export const PNG_SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** The last chunk of every complete file. */
export const PNG_END = Buffer.from("\0\0\0\0IEND\xae\x42\x60\x82", "latin1");

/** Row by row, 8 bits per channel: a palette index, or red, green, blue and with four channels alpha, not premultiplied. */
export type Pixels = { data: Buffer; channels: 1 | 3 | 4; width: number; height: number };

export type Chunk = { type: string; data: Buffer };

export const isPixels = ({ type }: Chunk): boolean => type === "IDAT";

/** One byte before each row names its filter. */
export const FILTER_BYTES = 1;

const FRAME_BYTES = 12;
/** Chunks that the pixels depend on; the others are metadata. */
const NEEDED = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);
/**
 * RFC 1950: deflate with a window of 32 KB, highest compression. Encoders declare a smaller window for small images; a larger
 * one is always valid, and decoders ignore the level.
 */
export const LEVEL_9_HEADER = Buffer.from([0x78, 0xda]);
const HEADER_BYTES = 13;
const BITS_PER_CHANNEL = 8;
/** IHDR: how the channels are to be read. */
const COLOUR_TYPE = { 1: 3, 3: 2, 4: 6 } as const;

/** Undefined: not a PNG, not complete, or more chunks than any real file has. */
export function readChunks(png: Buffer): Chunk[] | undefined {
  if (!png.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return undefined;
  const chunks: Chunk[] = [];
  let from = PNG_SIGNATURE.length;
  while (from + FRAME_BYTES <= png.length) {
    const length = png.readUInt32BE(from);
    const end = from + FRAME_BYTES + length;
    if (end > png.length) return undefined;
    if (chunks.length >= IMAGE_LIMITS.maxPngChunks) return undefined;
    const type = png.toString("latin1", from + 4, from + 8);
    chunks.push({ type, data: png.subarray(from + 8, from + 8 + length) });
    if (type === "IEND") return chunks;
    from = end;
  }
  return undefined;
}

export function writeChunks(chunks: readonly Chunk[]): Buffer {
  return Buffer.concat([PNG_SIGNATURE, ...chunks.flatMap(framed)]);
}

function framed({ type, data }: Chunk): Buffer[] {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, "latin1");
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(data, crc32(head.subarray(4))));
  return [head, data, tail];
}

/** Removes metadata and further frames, and puts the pixels into one IDAT marked as level 9. Undefined: not complete. */
export function slimPng(png: Buffer): Buffer | undefined {
  const chunks = readChunks(png)?.filter(({ type }) => NEEDED.has(type));
  const header = chunks?.find(({ type }) => type === "IHDR");
  if (chunks === undefined || header === undefined) return undefined;
  const pixels = joinPixels(chunks);
  if (pixels.length < LEVEL_9_HEADER.length) return undefined;
  LEVEL_9_HEADER.copy(pixels);
  const before = chunks.filter(({ type }) => type === "PLTE" || type === "tRNS");
  return writeChunks([header, ...before, { type: "IDAT", data: pixels }, { type: "IEND", data: Buffer.alloc(0) }]);
}

const joinPixels = (chunks: readonly Chunk[]): Buffer => Buffer.concat(chunks.filter(isPixels).map(({ data }) => data));

/** The zlib stream of filtered rows. */
export const pixelStreamOf = (png: Buffer): Buffer => joinPixels(readChunks(png) ?? []);

/** A PNG with these chunks, but with other pieces of its zlib stream, one IDAT for each. */
export async function* withPixels(chunks: readonly Chunk[], pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield PNG_SIGNATURE;
  yield* chunks.slice(0, chunks.findIndex(isPixels)).flatMap(framed);
  for await (const data of pieces) yield* framed({ type: "IDAT", data });
  yield* chunks.slice(chunks.findLastIndex(isPixels) + 1).flatMap(framed);
}

/** A PNG of this size from the zlib stream of its rows. Pixels with one channel need `colours`, each as 0xAABBGGRR. */
export function writePng(
  { width, height, channels }: Omit<Pixels, "data">,
  stream: Buffer,
  colours: readonly number[] = [],
): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([BITS_PER_CHANNEL, COLOUR_TYPE[channels]], 8);
  const palette = Buffer.from(colours.flatMap((rgba) => [rgba & 255, (rgba >>> 8) & 255, (rgba >>> 16) & 255]));
  const alpha = Buffer.from(colours.map((rgba) => rgba >>> 24));
  return writeChunks([
    { type: "IHDR", data: header },
    ...(palette.length === 0 ? [] : [{ type: "PLTE", data: palette }]),
    ...(alpha.every((value) => value === 255) ? [] : [{ type: "tRNS", data: alpha }]),
    { type: "IDAT", data: stream },
    { type: "IEND", data: Buffer.alloc(0) },
  ]);
}
