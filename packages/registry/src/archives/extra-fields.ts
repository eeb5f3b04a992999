import { crc32 } from "node:zlib";
import { IN_ZIP64 } from "./zip-records.ts";

const ZIP64_ID = 0x0001;
/** Info-ZIP's: the name in UTF-8, where the header has it in something else. */
const UNICODE_PATH_ID = 0x7075;

export type Sizes = { size: number; packedSize: number; offset: number };

/** Sizes and offset as they are, with what an extra field of zip64 says in place of those that say so. */
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

/** The name in UTF-8, when there is one and it is of this name. */
export function unicodeName(name: Buffer, extra: Buffer): Buffer | undefined {
  const field = fieldOf(extra, UNICODE_PATH_ID);
  if (!field || field.length < 5 || field[0] !== 1 || field.readUInt32LE(1) !== crc32(name)) return undefined;
  return field.subarray(5);
}

/** Whether the fields fill the space they have, but for padding that is too short for one; none may come twice. */
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
