import { availableParallelism } from "node:os";
import { joinDeflated } from "./join-deflated.ts";
import { IMAGE_LIMITS } from "./limits.ts";
import { FILTER_BYTES, type Pixels } from "./png.ts";

/**
 * The zlib stream of an image whose strips are compressed at the same time. `compress` makes the stream of one strip; its
 * first row must not refer to the row above.
 */
export function compressInStrips(pixels: Pixels, compress: (strip: Pixels) => Promise<Buffer>): Promise<Buffer> {
  return joinDeflated(
    stripsOf(pixels).map(async (strip) => ({
      stream: await compress(strip),
      length: strip.data.length + strip.height * FILTER_BYTES,
    })),
  );
}

function stripsOf({ data, channels, width, height }: Pixels): Pixels[] {
  // Two for each core: strips differ in how long they take, and the last one would leave the other cores idle.
  const atMost = Math.min(2 * availableParallelism(), IMAGE_LIMITS.threadsPerPass, height);
  const count = Math.max(1, Math.min(atMost, Math.floor((width * height) / IMAGE_LIMITS.minStripPixels)));
  const rows = Math.ceil(height / count);
  const rowBytes = width * channels;
  const strips: Pixels[] = [];
  for (let top = 0; top < height; top += rows) {
    const end = Math.min(top + rows, height);
    strips.push({ data: data.subarray(top * rowBytes, end * rowBytes), channels, width, height: end - top });
  }
  return strips;
}
