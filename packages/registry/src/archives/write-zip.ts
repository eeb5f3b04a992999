import { crc32, deflateRawSync } from "node:zlib";
import { centralHeader, type EntryRecord, endRecord, FLAGS, localHeader, METHODS, UNIX_MODE } from "./zip-records.ts";

/** A path that ends in a slash is a folder's. */
export type ZipEntry = { path: string; bytes: Uint8Array; mode?: number; store?: boolean };

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
export const COMPRESSION_LEVEL = 9;

/**
 * An archive of these entries, in this order: the same bytes for the same entries, whenever and wherever. Compressed
 * bytes may differ between builds of zlib; with `store` nothing does. More than the format holds is a RangeError.
 */
export function writeZip(entries: Iterable<ZipEntry>): Buffer {
  const parts: Uint8Array[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { record, data } = encode(entry, offset);
    const header = localHeader(record);
    parts.push(header, data);
    directory.push(centralHeader(record));
    offset += header.length + data.length;
  }
  const central = Buffer.concat(directory);
  return Buffer.concat([...parts, central, endRecord({ entries: directory.length, size: central.length, offset })]);
}

/** How an entry is written that starts at `offset`: packed only where that makes it smaller. */
export function encode(entry: ZipEntry, offset: number): { record: EntryRecord; data: Uint8Array } {
  const { path, bytes, store = false } = entry;
  const packed = store || bytes.length === 0 ? bytes : deflateRawSync(bytes, { level: COMPRESSION_LEVEL });
  const isPacked = packed.length < bytes.length;
  const data = isPacked ? packed : bytes;
  const record = {
    ...named(path, entry.mode),
    method: isPacked ? METHODS.deflated : METHODS.stored,
    crc: crc32(bytes),
    packedSize: data.length,
    size: bytes.length,
    offset,
  };
  return { record, data };
}

/** What the path alone decides. Names are always marked as UTF-8, or readers guess. */
export function named(path: string, mode?: number): Pick<EntryRecord, "name" | "flags" | "mode"> {
  const isFolder = path.endsWith("/");
  return {
    name: Buffer.from(path),
    flags: FLAGS.utf8,
    mode: isFolder ? UNIX_MODE.folder | (mode ?? FOLDER_MODE) : UNIX_MODE.file | (mode ?? FILE_MODE),
  };
}
