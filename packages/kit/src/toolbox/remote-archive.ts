/** A file in an archive of the registry. */
export type ArchiveEntry = { path: string; offset: number; packedSize: number; size: number; isPacked: boolean };

/** Reads a part of a file: bytes from `start` until before `end`. */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>;

/** An archive that cannot be read here, with the reason for the person who looks. */
export class ArchiveFault extends Error {
  override readonly name = "ArchiveFault";
}

const END = { signature: 0x06054b50, bytes: 22 };
const CENTRAL = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
const DEFLATED = 8;
/** The end record, and the longest comment after it. */
const TAIL_BYTES = END.bytes + 0xffff;
const MAX_DIRECTORY_BYTES = 8 * 1024 * 1024;
/** Of one unpacked file. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

const damaged = (): ArchiveFault => new ArchiveFault("The archive is damaged.");

/** The files of an archive, from its directory at the end. The registry has checked the archive when it was published. */
export async function listArchive(read: ReadRange, size: number): Promise<ArchiveEntry[]> {
  const tailAt = Math.max(0, size - TAIL_BYTES);
  const tail = viewOf(await read(tailAt, size));
  let end = tail.byteLength - END.bytes;
  while (end >= 0 && tail.getUint32(end, true) !== END.signature) end -= 1;
  if (end < 0) throw damaged();
  const [length, start] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)];
  if (length > MAX_DIRECTORY_BYTES) throw new ArchiveFault("The archive has too many files to look into it here.");
  if (start + length > size) throw damaged();
  return entriesOf(await read(start, start + length));
}

function entriesOf(directory: Uint8Array<ArrayBuffer>): ArchiveEntry[] {
  const view = viewOf(directory);
  const entries: ArchiveEntry[] = [];
  for (let at = 0; at + CENTRAL.bytes <= view.byteLength; ) {
    if (view.getUint32(at, true) !== CENTRAL.signature) throw damaged();
    const short = (offset: number) => view.getUint16(at + offset, true);
    const long = (offset: number) => view.getUint32(at + offset, true);
    const nameEnd = at + CENTRAL.bytes + short(28);
    entries.push({
      path: new TextDecoder().decode(directory.subarray(at + CENTRAL.bytes, nameEnd)),
      ...{ offset: long(42), packedSize: long(20), size: long(24), isPacked: short(10) === DEFLATED },
    });
    at = nameEnd + short(30) + short(32);
  }
  return entries;
}

/** The content of one file. */
export async function readEntry(read: ReadRange, entry: ArchiveEntry): Promise<Uint8Array<ArrayBuffer>> {
  if (Math.max(entry.size, entry.packedSize) > MAX_FILE_BYTES) throw new ArchiveFault(`${entry.path} is too large.`);
  const header = viewOf(await read(entry.offset, entry.offset + LOCAL.bytes));
  if (header.byteLength < LOCAL.bytes || header.getUint32(0, true) !== LOCAL.signature) throw damaged();
  const start = entry.offset + LOCAL.bytes + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = await read(start, start + entry.packedSize);
  const content = entry.isPacked ? await unpacked(packed, entry.size) : packed;
  if (content.length !== entry.size) throw damaged();
  return content;
}

/** At most one byte more than the directory says, so that a small archive cannot become a large text. */
async function unpacked(packed: Uint8Array<ArrayBuffer>, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const content = new Uint8Array(size);
  let length = 0;
  try {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    for await (const part of stream) {
      if (length + part.length > size) throw damaged();
      content.set(part, length);
      length += part.length;
    }
  } catch {
    throw damaged();
  }
  return content.subarray(0, length);
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
