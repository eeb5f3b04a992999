import { availableParallelism } from "node:os";
import { joinDeflated } from "./join-deflated.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import { readChunks, writeChunks } from "./png.ts";
import type { Pixels } from "./survey.ts";

/** One byte before each row says how it is filtered. */
const FILTER_BYTES = 1;

/** Encodes an image as several strips at the same time, and makes one PNG of them. Rows must not be filtered. */
export async function encodeInStrips(
  pixels: Pixels,
  channels: number,
  encode: (strip: Pixels) => Promise<Buffer>,
): Promise<Buffer> {
  const { width, height } = pixels;
  const strips = stripsOf(pixels);
  if (strips.length === 1) return encode(pixels);
  const parts = await Promise.all(
    strips.map(async (strip) => ({
      chunks: readChunks(await encode(strip)) ?? [],
      length: strip.height * (width * channels + FILTER_BYTES),
    })),
  );
  const streams = parts.map(({ chunks, length }) => ({
    stream: Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)),
    length,
  }));
  const header = Buffer.from(parts[0]?.chunks.find(({ type }) => type === "IHDR")?.data ?? Buffer.alloc(13));
  header.writeUInt32BE(height, HEIGHT_AT);
  return writeChunks([
    { type: "IHDR", data: header },
    { type: "IDAT", data: await joinDeflated(streams) },
    { type: "IEND", data: Buffer.alloc(0) },
  ]);
}

const HEIGHT_AT = 4;

function stripsOf({ rgba, width, height }: Pixels): Pixels[] {
  const atMost = Math.min(availableParallelism(), IMAGE_LIMITS.threadsPerPass, height);
  const count = Math.max(1, Math.min(atMost, Math.floor((width * height) / IMAGE_LIMITS.minStripPixels)));
  const rows = Math.ceil(height / count);
  const strips: Pixels[] = [];
  for (let top = 0; top < height; top += rows) {
    const end = Math.min(top + rows, height);
    strips.push({ rgba: rgba.subarray(top * width * 4, end * width * 4), width, height: end - top });
  }
  return strips;
}
