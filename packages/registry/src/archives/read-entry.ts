import { pipeline, Readable } from "node:stream";
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import { refuse } from "./archive.ts";
import type { ArchiveBytes } from "./bytes.ts";
import type { ListedEntry } from "./zip-records.ts";
import { FLAGS, isWellFormed, METHODS, RECORD_BYTES, SIGNATURES, unicodeName, withZip64 } from "./zip-records.ts";

/** Flags that change how an entry is read. */
const TELLING_FLAGS = FLAGS.encrypted | FLAGS.descriptor | FLAGS.strongEncryption | FLAGS.utf8 | FLAGS.maskedHeaders;

const NOTHING = Buffer.alloc(0);

/** A header with the longest name and extra fields. */
export const MAX_LOCAL_HEADER_BYTES = RECORD_BYTES.local + 2 * 0xffff;
export const MAX_DESCRIPTOR_BYTES = 24;

/**
 * Reads a local header, which must directly follow what was read before. Some readers use these headers and some the
 * directory: if the two disagree, one archive is really two.
 */
export function readLocalHeader(bytes: ArchiveBytes, entry: ListedEntry, nextAt: number): { filled: boolean } {
  if (entry.offset < bytes.position) overlap(entry);
  if (entry.offset > bytes.position) unlisted(entry);
  if (entry.offset + RECORD_BYTES.local > nextAt) overlap(entry);
  const header = bytes.take(RECORD_BYTES.local);
  if (header.readUInt32LE(0) !== SIGNATURES.local) mismatch(entry);
  const nameBytes = header.readUInt16LE(26);
  const extraBytes = header.readUInt16LE(28);
  if (bytes.position + nameBytes + extraBytes + entry.packedSize > nextAt) overlap(entry);
  const rest = bytes.take(nameBytes + extraBytes);
  const name = rest.subarray(0, nameBytes);
  const extra = extraBytes === 0 ? NOTHING : rest.subarray(nameBytes);
  const flags = header.readUInt16LE(6);
  const isSame =
    name.equals(entry.name) &&
    (flags & TELLING_FLAGS) === (entry.flags & TELLING_FLAGS) &&
    header.readUInt16LE(8) === entry.method &&
    (extraBytes === 0 || (unicodeName(name, extra)?.toString("utf8") ?? entry.path) === entry.path);
  if (!isSame) mismatch(entry);

  const said = { packedSize: header.readUInt32LE(18), size: header.readUInt32LE(22), offset: 0 };
  const sizes = isWellFormed(extra) ? withZip64(said, extra) : undefined;
  if (!sizes) return mismatch(entry);
  const crc = header.readUInt32LE(14);
  const filled = crc === entry.crc && sizes.packedSize === entry.packedSize && sizes.size === entry.size;
  const isLater = (flags & FLAGS.descriptor) !== 0;
  const isEmptyOr = (value: number, right: number) => value === right || (isLater && value === 0);
  const isRight =
    isEmptyOr(crc, entry.crc) && isEmptyOr(sizes.packedSize, entry.packedSize) && isEmptyOr(sizes.size, entry.size);
  if (!isRight) mismatch(entry);
  return { filled };
}

/** Reads what is between an entry's data and the next entry: a data descriptor, or nothing. */
export function readDescriptor(
  bytes: ArchiveBytes,
  entry: ListedEntry,
  nextAt: number,
  { filled }: { filled: boolean },
): void {
  const length = nextAt - bytes.position;
  const mayHave = (entry.flags & FLAGS.descriptor) !== 0;
  // Some tools set the flag on folders and leave the descriptor out.
  if (length === 0 && (!mayHave || filled)) return;
  if (!mayHave) unlisted(entry);
  // 12 or 20 bytes depending on the width of the sizes, and 4 more for the optional signature.
  if (length !== 12 && length !== 16 && length !== 20 && length !== 24) unlisted(entry);
  const descriptor = bytes.take(length);
  const isSigned = length === 16 || length === 24;
  const fields = isSigned ? descriptor.subarray(4) : descriptor;
  const isLong = length >= 20;
  const packedSize = isLong ? Number(fields.readBigUInt64LE(4)) : fields.readUInt32LE(4);
  const size = isLong ? Number(fields.readBigUInt64LE(12)) : fields.readUInt32LE(8);
  const isRight = fields.readUInt32LE(0) === entry.crc && packedSize === entry.packedSize && size === entry.size;
  if (!isRight || (isSigned && descriptor.readUInt32LE(0) !== SIGNATURES.descriptor)) mismatch(entry);
}

const mismatch = (entry: ListedEntry): never =>
  refuse("header-mismatch", "The archive has contradictory headers for an entry. Pack it again.", entry.path);
const overlap = (entry: ListedEntry): never =>
  refuse("overlapping-entries", "Two entries of the archive use the same bytes. Pack it again.", entry.path);
const unlisted = (entry: ListedEntry): never =>
  refuse("trailing-data", "The archive has bytes that do not belong to any file. Pack it again.", entry.path);

/** Smaller entries are unpacked in one step, which is faster. */
const WHOLE_BYTES = 2 * 1024 * 1024;
const PIECE_BYTES = 128 * 1024;

export const isSmall = (entry: ListedEntry): boolean => entry.packedSize <= WHOLE_BYTES && entry.size <= WHOLE_BYTES;

/** The checked content of a small entry. Its packed bytes must be ready. */
export function contentOf(bytes: ArchiveBytes, entry: ListedEntry): Buffer {
  const packed = bytes.take(entry.packedSize);
  const content = entry.method === METHODS.stored ? packed : inflate(packed, entry);
  if (crc32(content) !== entry.crc) damaged(entry);
  return content;
}

function inflate(packed: Buffer, entry: ListedEntry): Buffer {
  // One byte more than stated is enough to find out that there is more.
  const maxOutputLength = entry.size + 1;
  const options = { info: true, maxOutputLength, chunkSize: Math.max(64, maxOutputLength) };
  let inflated: { buffer: Buffer; engine: { bytesWritten: number } };
  try {
    // With `info` the result includes the engine, which the types do not know.
    inflated = inflateRawSync(packed, options) as unknown as typeof inflated;
  } catch (error) {
    return unpackable(error, entry);
  }
  if (inflated.buffer.length !== entry.size) anotherSize(entry);
  if (inflated.engine.bytesWritten !== packed.length) hidden(entry);
  return inflated.buffer;
}

/** The content of an entry, never more than stated. It is checked only when the last piece was delivered. */
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
  // Errors come out of the engine; it also stops the reading.
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
  refuse("size-mismatch", "The size of an entry is not the one the archive states. Pack it again.", entry.path);
const damaged = (entry: ListedEntry): never =>
  refuse("checksum-mismatch", "An entry of the archive is damaged. Download or pack it again.", entry.path);
const hidden = (entry: ListedEntry): never =>
  refuse("trailing-data", "There are bytes after an entry's data. Pack it again.", entry.path);
