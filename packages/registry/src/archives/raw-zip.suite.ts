import { crc32, deflateRawSync } from "node:zlib";
import { sampleEntries } from "./samples.suite.ts";
import { named } from "./write-zip.ts";
import { centralHeader, type EntryRecord, endRecord, localHeader, METHODS } from "./zip-records.ts";

/** An entry in which any field can be wrong. */
export type RawEntry = {
  path: string;
  bytes?: string | Uint8Array;
  mode?: number;
  /** Store the bytes; otherwise they are deflated. */
  store?: boolean;
  /** Written to both headers instead of the true values. */
  both?: Partial<EntryRecord>;
  local?: Partial<EntryRecord>;
  central?: Partial<EntryRecord>;
  /** Instead of the bytes that would be in the file. */
  data?: Uint8Array;
  before?: Uint8Array;
  after?: Uint8Array;
};

export type RawDirectory = { offset: number; size: number; entries: number };

export type RawEnd = {
  entries?: number;
  size?: number;
  offset?: number;
  comment?: Uint8Array;
  /** Between the directory and the end record. */
  before?: Uint8Array | ((truth: RawDirectory) => Uint8Array);
};

export function rawZip(entries: readonly RawEntry[], end: RawEnd = {}): Buffer {
  const parts: Uint8Array[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const bytes = Buffer.from(entry.bytes ?? "");
    const data = entry.data ?? (entry.store ? bytes : deflateRawSync(bytes));
    const { before = Buffer.alloc(0), after = Buffer.alloc(0) } = entry;
    const record: EntryRecord = {
      ...named(entry.path, entry.mode),
      method: entry.store ? METHODS.stored : METHODS.deflated,
      crc: crc32(bytes),
      packedSize: data.length,
      size: bytes.length,
      offset: offset + before.length,
      ...(entry.mode === undefined ? {} : { mode: entry.mode }),
      ...entry.both,
    };
    const header = localHeader({ ...record, ...entry.local });
    parts.push(before, header, data, after);
    offset += before.length + header.length + data.length + after.length;
    directory.push(centralHeader({ ...record, ...entry.central }));
  }
  const central = Buffer.concat(directory);
  const truth = { offset, size: central.length, entries: directory.length };
  const before = typeof end.before === "function" ? end.before(truth) : (end.before ?? Buffer.alloc(0));
  return Buffer.concat([...parts, central, before, endRecord({ ...truth, ...end })]);
}

/** A good archive with these entries after it. */
export const goodAnd = (entries: readonly RawEntry[], end: RawEnd = {}): Buffer =>
  rawZip([...sampleEntries(), ...entries], end);

/** An extra field (4.5.1). */
export function extraField(id: number, data: Uint8Array): Buffer {
  const field = Buffer.alloc(4);
  field.writeUInt16LE(id, 0);
  field.writeUInt16LE(data.length, 2);
  return Buffer.concat([field, data]);
}

/** Little endian numbers of 8 bytes. */
export function longs(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), index * 8);
  return bytes;
}

/** Little endian numbers of 4 bytes. */
export function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}
