import { pipeline, Readable } from "node:stream";
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import type { ArchiveBytes } from "./bytes.ts";
import type { ListedEntry } from "./listed-entry.ts";
import { refuse } from "./refusal.ts";
import { METHODS } from "./zip-records.ts";

/** Up to here an entry is unpacked at once, which is faster; larger ones piece by piece. */
const WHOLE_BYTES = 2 * 1024 * 1024;
const PIECE_BYTES = 128 * 1024;

export const isSmall = (entry: ListedEntry): boolean => entry.packedSize <= WHOLE_BYTES && entry.size <= WHOLE_BYTES;

/** All that a small entry holds, checked. Its packed bytes must be ready. */
export function contentOf(bytes: ArchiveBytes, entry: ListedEntry): Buffer {
  const packed = bytes.take(entry.packedSize);
  const content = entry.method === METHODS.stored ? packed : inflate(packed, entry);
  if (crc32(content) !== entry.crc) damaged(entry);
  return content;
}

function inflate(packed: Buffer, entry: ListedEntry): Buffer {
  // One byte more than it says is enough to know that it is more.
  const maxOutputLength = entry.size + 1;
  const options = { info: true, maxOutputLength, chunkSize: Math.max(64, maxOutputLength) };
  let inflated: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    // With `info` the engine comes along, which the types do not know.
    inflated = inflateRawSync(packed, options) as unknown as typeof inflated;
  } catch (error) {
    return unpackable(error, entry);
  }
  if (inflated.buffer.length !== entry.size) anotherSize(entry);
  if (inflated.engine.bytesWritten !== packed.length) hidden(entry);
  return inflated.buffer;
}

/** What an entry holds, never more than it says; all of it is right only when the last piece was given. */
export async function* piecesOf(bytes: ArchiveBytes, entry: ListedEntry): AsyncGenerator<Buffer> {
  let size = 0;
  let crc = 0;
  for await (const piece of entry.method === METHODS.stored
    ? bytes.pieces(entry.packedSize)
    : inflating(bytes, entry)) {
    size += piece.length;
    if (size > entry.size) anotherSize(entry);
    crc = crc32(piece, crc);
    yield piece;
  }
  if (size !== entry.size) anotherSize(entry);
  if (crc !== entry.crc) damaged(entry);
}

async function* inflating(bytes: ArchiveBytes, entry: ListedEntry): AsyncGenerator<Buffer> {
  const engine = createInflateRaw({ chunkSize: PIECE_BYTES });
  const packed = Readable.from(bytes.pieces(entry.packedSize), { objectMode: false, highWaterMark: PIECE_BYTES });
  // What goes wrong comes out of the engine; it also ends the reading.
  pipeline(packed, engine, () => {});
  try {
    for await (const piece of engine) yield piece as Buffer;
  } catch (error) {
    unpackable(error, entry);
  }
  if (engine.bytesWritten !== entry.packedSize) hidden(entry);
}

function unpackable(error: unknown, entry: ListedEntry): never {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "ERR_BUFFER_TOO_LARGE") anotherSize(entry);
  if (code === "Z_BUF_ERROR") anotherSize(entry);
  if (code.startsWith("Z_")) damaged(entry);
  throw error;
}

const anotherSize = (entry: ListedEntry): never =>
  refuse("size-mismatch", "An entry has another size than the archive says. Pack it again.", entry.path);
const damaged = (entry: ListedEntry): never =>
  refuse("checksum-mismatch", "An entry of the archive is damaged. Get or make it again.", entry.path);
const hidden = (entry: ListedEntry): never =>
  refuse("trailing-data", "There are bytes behind an entry's data. Pack it again.", entry.path);
