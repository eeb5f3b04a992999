import { createReadStream } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { crc32, createDeflateRaw, deflateRawSync } from "node:zlib";
import {
  centralHeader,
  type EntryRecord,
  endRecord,
  FLAGS,
  localHeader,
  METHODS,
  moveRecords,
  UNIX_MODE,
} from "./zip-records.ts";

/** A path that ends in a slash is a folder. With `store` the bytes are not compressed. */
export type ZipEntry = { path: string; bytes: Uint8Array; mode?: number; store?: boolean };

/** A file on disk that goes into an archive. */
export type SourceFile = { path: string; file: string; size: number; isExecutable: boolean };

const FILE_MODE = 0o644;
const PROGRAM_MODE = 0o755;
const FOLDER_MODE = 0o755;
const COMPRESSION_LEVEL = 9;
/** Larger files are compressed piece by piece. */
const WHOLE_BYTES = 8 * 1024 * 1024;

/**
 * An archive of these entries, in this order. The same entries give the same bytes at any time on any machine; only
 * compressed data may differ between builds of zlib. A RangeError when the entries do not fit the format.
 */
export function writeZip(entries: Iterable<ZipEntry>): Buffer {
  const part = writeZipPart(entries);
  return Buffer.concat([...part.data, endOfZip([part])]);
}

/** Entries that follow each other in an archive, and their directory as if they were the first of it. */
export type ZipPart = { data: readonly Uint8Array[]; size: number; directory: Buffer; entries: number };

/** A part of an archive, which may be in several: what follows the last part is different in each. */
export function writeZipPart(entries: Iterable<ZipEntry>): ZipPart {
  const data: Uint8Array[] = [];
  const directory: Buffer[] = [];
  let size = 0;
  for (const entry of entries) {
    const { record, data: bytes } = encode(entry, size);
    const header = localHeader(record);
    data.push(header, bytes);
    directory.push(centralHeader(record));
    size += header.length + bytes.length;
  }
  return { data, size, directory: Buffer.concat(directory), entries: directory.length };
}

/** What follows these parts in an archive. */
export function endOfZip(parts: readonly Omit<ZipPart, "data">[]): Buffer {
  const directory = Buffer.concat(parts.map((part) => part.directory));
  let [at, offset, entries] = [0, 0, 0];
  for (const part of parts) {
    moveRecords(directory.subarray(at, at + part.directory.length), offset);
    at += part.directory.length;
    offset += part.size;
    entries += part.entries;
  }
  return Buffer.concat([directory, endRecord({ entries, size: directory.length, offset })]);
}

/** Compressed only where that makes the entry smaller. */
function encode(entry: ZipEntry, offset: number): { record: EntryRecord; data: Uint8Array } {
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

/** Names are always marked as UTF-8, because readers guess otherwise. */
export function named(path: string, mode?: number): Pick<EntryRecord, "name" | "flags" | "mode"> {
  const isFolder = path.endsWith("/");
  return {
    name: Buffer.from(path),
    flags: FLAGS.utf8,
    mode: isFolder ? UNIX_MODE.folder | (mode ?? FOLDER_MODE) : UNIX_MODE.file | (mode ?? FILE_MODE),
  };
}

function directoryRecords(directory: readonly Buffer[], offset: number): Buffer {
  const central = Buffer.concat(directory);
  return Buffer.concat([central, endRecord({ entries: directory.length, size: central.length, offset })]);
}

export type ZipFileOptions = {
  /** `w` replaces a file, `wx` fails when there is one. */
  flags: "w" | "wx";
  maxBytes: number;
  /** Called when the archive grows beyond `maxBytes`. */
  refuse(): never;
};

/** Writes an archive to a file, entry by entry, so that only a little of it is in memory. */
export async function openZipFile(file: string, { flags, maxBytes, refuse }: ZipFileOptions) {
  const handle = await open(file, flags);
  const directory: Buffer[] = [];
  let offset = 0;
  const write = async (bytes: Uint8Array) => {
    await writeAt(handle, bytes, offset);
    offset += bytes.length;
    if (offset > maxBytes) refuse();
  };

  const add = async (entry: ZipEntry): Promise<void> => {
    const { record, data } = encode(entry, offset);
    await write(localHeader(record));
    await write(data);
    directory.push(centralHeader(record));
  };

  /** The header is written a second time, when the sizes are known. */
  const addInPieces = async ({ path, file }: SourceFile, mode: number): Promise<void> => {
    const record = { ...named(path, mode), method: METHODS.deflated, crc: 0, packedSize: 0, size: 0, offset };
    await write(localHeader(record));
    const start = offset;
    const source = createReadStream(file);
    const engine = createDeflateRaw({ level: COMPRESSION_LEVEL });
    source.on("data", (piece) => {
      record.crc = crc32(piece, record.crc);
      record.size += piece.length;
    });
    source.on("error", (error) => engine.destroy(error));
    source.pipe(engine);
    try {
      for await (const piece of engine) await write(piece as Buffer);
    } finally {
      source.destroy();
    }
    record.packedSize = offset - start;
    await writeAt(handle, localHeader(record), record.offset);
    directory.push(centralHeader(record));
  };

  return {
    add,
    async addFile(source: SourceFile): Promise<void> {
      const mode = source.isExecutable ? PROGRAM_MODE : FILE_MODE;
      if (source.size > WHOLE_BYTES) await addInPieces(source, mode);
      else await add({ path: source.path, mode, bytes: await readFile(source.file) });
    },
    /** Returns the size of the archive, which is then on the disk. */
    async finish(): Promise<number> {
      await write(directoryRecords(directory, offset));
      await handle.sync();
      return offset;
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function writeAt(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
