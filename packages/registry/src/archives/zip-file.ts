import { createReadStream } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { crc32, createDeflateRaw } from "node:zlib";
import { ARCHIVE_LIMITS } from "./archive.ts";
import { refuse } from "./refusal.ts";
import type { SourceFile } from "./source-files.ts";
import { COMPRESSION_LEVEL, encode, named } from "./write-zip.ts";
import { centralHeader, type EntryRecord, endRecord, localHeader, METHODS } from "./zip-records.ts";

const FILE_MODE = 0o644;
const PROGRAM_MODE = 0o755;
/** Larger files are packed piece by piece. */
const WHOLE_BYTES = 8 * 1024 * 1024;

/** An archive on disk that files are added to, one after the other, with little of them in memory. */
export async function openZipFile(file: string) {
  const handle = await open(file, "w");
  const directory: Buffer[] = [];
  let offset = 0;
  const write = async (bytes: Uint8Array) => {
    await writeAt(handle, bytes, offset);
    offset += bytes.length;
    if (offset > ARCHIVE_LIMITS.maxBytes) {
      refuse("too-large", `The archive has more than ${ARCHIVE_LIMITS.maxBytes} bytes. Leave something out.`);
    }
  };

  const addWhole = async ({ path, file }: SourceFile, mode: number): Promise<EntryRecord> => {
    const { record, data } = encode({ path, mode, bytes: await readFile(file) }, offset);
    await write(localHeader(record));
    await write(data);
    return record;
  };

  /** Its header is written again when the sizes are known. */
  const addInPieces = async ({ path, file }: SourceFile, mode: number): Promise<EntryRecord> => {
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
    return record;
  };

  return {
    async add(source: SourceFile): Promise<void> {
      const mode = source.isExecutable ? PROGRAM_MODE : FILE_MODE;
      const record = await (source.size > WHOLE_BYTES ? addInPieces : addWhole)(source, mode);
      directory.push(centralHeader(record));
    },
    async finish(): Promise<void> {
      const central = Buffer.concat(directory);
      const end = endRecord({ entries: directory.length, size: central.length, offset });
      await write(Buffer.concat([central, end]));
      await handle.sync();
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
