import { crc32 } from "node:zlib";

/** One entry, as the directory describes it. */
export type ListedEntry = {
  path: string;
  /** The raw bytes of the name, which the local header must repeat. */
  name: Buffer;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  madeBy: number;
  attributes: number;
  offset: number;
};

/** The records of a zip archive, after PKWARE's APPNOTE.TXT (sections 4.3.7 to 4.3.16). */
export const SIGNATURES = {
  local: 0x04034b50,
  descriptor: 0x08074b50,
  central: 0x02014b50,
  end: 0x06054b50,
  zip64End: 0x06064b50,
  zip64Locator: 0x07064b50,
} as const;

export const RECORD_BYTES = { local: 30, central: 46, end: 22, zip64End: 56, zip64Locator: 20 } as const;

export const METHODS = { stored: 0, deflated: 8 } as const;

export const FLAGS = {
  encrypted: 1 << 0,
  /** Checksum and sizes follow the data. */
  descriptor: 1 << 3,
  patched: 1 << 5,
  strongEncryption: 1 << 6,
  utf8: 1 << 11,
  maskedHeaders: 1 << 13,
} as const;

/** These values of a 16 or 32 bit field mean: see the zip64 record. */
export const IN_ZIP64 = { short: 0xffff, long: 0xffffffff } as const;

/** The file mode in the high half of the external attributes. */
export const UNIX_MODE = { type: 0o170000, file: 0o100000, folder: 0o040000, link: 0o120000, execute: 0o111 } as const;

/** 1 January 1980, 00:00, the earliest time a zip can hold. It is local time, so the same in every time zone. */
const FIXED_DATE = 0x21;
const VERSION_NEEDED = 20;
const MADE_ON_UNIX = (3 << 8) | VERSION_NEEDED;

export type EntryRecord = {
  name: Uint8Array;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  /** Includes the type of file. */
  mode: number;
  /** Where its local header is. */
  offset: number;
  extra?: Uint8Array;
};

export function localHeader(record: EntryRecord): Buffer {
  const { name, extra = new Uint8Array() } = record;
  const header = Buffer.alloc(RECORD_BYTES.local);
  header.writeUInt32LE(SIGNATURES.local, 0);
  header.writeUInt16LE(VERSION_NEEDED, 4);
  writeShared(header, 6, record);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
}

export function centralHeader(record: EntryRecord): Buffer {
  const { name, extra = new Uint8Array(), mode, offset } = record;
  const header = Buffer.alloc(RECORD_BYTES.central);
  header.writeUInt32LE(SIGNATURES.central, 0);
  header.writeUInt16LE(MADE_ON_UNIX, 4);
  header.writeUInt16LE(VERSION_NEEDED, 6);
  writeShared(header, 8, record);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE((mode << 16) >>> 0, 38);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, name, extra]);
}

/** Changes central headers, one after the other, to those of entries that are so many bytes later. */
export function moveRecords(headers: Buffer, bytes: number): void {
  for (let at = 0; at < headers.length; ) {
    headers.writeUInt32LE(headers.readUInt32LE(at + 42) + bytes, at + 42);
    at += RECORD_BYTES.central + headers.readUInt16LE(at + 28) + headers.readUInt16LE(at + 30);
  }
}

export function endRecord(end: { entries: number; size: number; offset: number; comment?: Uint8Array }): Buffer {
  const { comment = new Uint8Array() } = end;
  const record = Buffer.alloc(RECORD_BYTES.end);
  record.writeUInt32LE(SIGNATURES.end, 0);
  record.writeUInt16LE(end.entries, 8);
  record.writeUInt16LE(end.entries, 10);
  record.writeUInt32LE(end.size, 12);
  record.writeUInt32LE(end.offset, 16);
  record.writeUInt16LE(comment.length, 20);
  return Buffer.concat([record, comment]);
}

/** The run of fields from flags to sizes, which both headers have in common. */
function writeShared(header: Buffer, at: number, { flags, method, crc, packedSize, size }: EntryRecord): void {
  header.writeUInt16LE(flags, at);
  header.writeUInt16LE(method, at + 2);
  header.writeUInt16LE(FIXED_DATE, at + 6);
  header.writeUInt32LE(crc, at + 8);
  header.writeUInt32LE(packedSize, at + 12);
  header.writeUInt32LE(size, at + 16);
}

const ZIP64_ID = 0x0001;
/** Info-ZIP's extra field: the name in UTF-8, when the header has another encoding. */
const UNICODE_PATH_ID = 0x7075;

type Sizes = { size: number; packedSize: number; offset: number };

/** Sizes and offset, read from the zip64 extra field where the header refers to it. */
export function withZip64(said: Sizes, extra: Buffer): Sizes | undefined {
  if (said.size !== IN_ZIP64.long && said.packedSize !== IN_ZIP64.long && said.offset !== IN_ZIP64.long) return said;
  const field = fieldOf(extra, ZIP64_ID);
  if (!field) return undefined;
  let at = 0;
  const long = (value: number): number => {
    if (value !== IN_ZIP64.long) return value;
    at += 8;
    return at > field.length ? Number.NaN : Number(field.readBigUInt64LE(at - 8));
  };
  const sizes = { size: long(said.size), packedSize: long(said.packedSize), offset: long(said.offset) };
  return at > field.length ? undefined : sizes;
}

/** The UTF-8 name, if there is one and it belongs to this name. */
export function unicodeName(name: Buffer, extra: Buffer): Buffer | undefined {
  const field = fieldOf(extra, UNICODE_PATH_ID);
  if (!field || field.length < 5 || field[0] !== 1 || field.readUInt32LE(1) !== crc32(name)) return undefined;
  return field.subarray(5);
}

/** Whether the fields fill their space, except for padding too short for a field; none that matters may come twice. */
export function isWellFormed(extra: Buffer): boolean {
  if (extra.length === 0) return true;
  const seen = new Set<number>();
  let at = 0;
  while (at + 4 <= extra.length) {
    const id = extra.readUInt16LE(at);
    if (seen.has(id) && (id === ZIP64_ID || id === UNICODE_PATH_ID)) return false;
    seen.add(id);
    at += 4 + extra.readUInt16LE(at + 2);
  }
  return at <= extra.length;
}

function fieldOf(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (end > extra.length) return undefined;
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, end);
    at = end;
  }
  return undefined;
}
