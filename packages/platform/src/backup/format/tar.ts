/**
 * The part of the tar format that backups use: plain files with a header of 512 bytes (ustar), and before names that do not
 * fit into it, or sizes from 8 GiB, a record of the pax format (POSIX.1-2001). `tar` reads all of it.
 */

export const BLOCK_BYTES = 512;

export type TarFile = {
  /** With slashes, below the root. */
  name: string;
  size: number;
  /** Of the permissions. */
  mode: number;
  mtimeS: number;
};

const MAX_NAME_BYTES = 100;
/** Eleven octal digits. */
const MAX_SIZE = 8 ** 11 - 1;
const PAX_NAME = "pax";
/** A name in a pax record: longer than any path of a file system. */
const MAX_PAX_BYTES = 64 * 1024;

/** How many bytes follow the content up to the next block. */
export const paddingOf = (size: number): number => (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;

/** Everything before the content of a file. */
export function headerOf({ name, size, mode, mtimeS }: TarFile): Buffer {
  const isPlain = /^[\x21-\x7e]+$/.test(name) && name.length <= MAX_NAME_BYTES;
  const records = [
    ...(isPlain ? [] : [paxRecord("path", name)]),
    ...(size > MAX_SIZE ? [paxRecord("size", size)] : []),
  ];
  const shown = { name: isPlain ? name : PAX_NAME, size: size > MAX_SIZE ? 0 : size, mode, mtimeS };
  if (records.length === 0) return block({ ...shown, type: "0" });
  const text = Buffer.concat(records);
  return Buffer.concat([
    block({ name: PAX_NAME, size: text.length, mode: 0o600, mtimeS: 0, type: "x" }),
    text,
    Buffer.alloc(paddingOf(text.length)),
    block({ ...shown, type: "0" }),
  ]);
}

/** The length of a record counts its own digits too. */
function paxRecord(key: string, value: string | number): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (rest + String(length).length > length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

const CHECKSUM = { start: 148, end: 156 } as const;

function block({ name, size, mode, mtimeS, type }: TarFile & { type: "0" | "x" }): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, "0"), at, "latin1");
  header.write(name, 0, "latin1");
  octal(mode & 0o777, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(Math.max(0, Math.floor(mtimeS)), 136, 11);
  header.write(type, 156, "latin1");
  header.write("ustar\0", 257, "latin1");
  header.write("00", 263, "latin1");
  header.fill(" ", CHECKSUM.start, CHECKSUM.end);
  header.write(`${checksumOf(header).toString(8).padStart(6, "0")}\0 `, CHECKSUM.start, "latin1");
  return header;
}

const checksumOf = (header: Buffer): number => header.reduce((sum, byte) => sum + byte, 0);

/** Why bytes are not a tar of ours. */
export class TarFault extends Error {
  override name = "TarFault";
}

export type TarHeader = TarFile & { type: "0" | "x" };

export function readBlock(header: Buffer): TarHeader {
  const text = (start: number, end: number) => header.toString("latin1", start, end).split("\0", 1)[0] ?? "";
  const number = (start: number, end: number) => {
    const digits = text(start, end).trim();
    if (!/^[0-7]{1,11}$/.test(digits)) throw new TarFault("a header is damaged");
    return Number.parseInt(digits, 8);
  };
  const said = number(CHECKSUM.start, CHECKSUM.end);
  const plain = Buffer.from(header).fill(" ", CHECKSUM.start, CHECKSUM.end);
  const type = text(156, 157);
  if (said !== checksumOf(plain) || text(257, 263) !== "ustar" || (type !== "0" && type !== "x")) {
    throw new TarFault("a header is damaged");
  }
  const file = {
    name: text(0, MAX_NAME_BYTES),
    // A file must not become one that runs as its owner.
    mode: number(100, 108) & 0o777,
    size: number(124, 136),
    mtimeS: number(136, 148),
  };
  if (type === "x" && file.size > MAX_PAX_BYTES) throw new TarFault("a header is damaged");
  return { ...file, type };
}

/** What a pax record says about the file that follows. */
export function readPax(text: Buffer): Partial<Pick<TarFile, "name" | "size">> {
  const found: Partial<Pick<TarFile, "name" | "size">> = {};
  for (let at = 0; at < text.length; ) {
    const length = Number.parseInt(text.toString("latin1", at, at + 8), 10);
    const [, key, value] = /^\d+ (path|size)=([\s\S]*)\n$/.exec(text.toString("utf8", at, at + length)) ?? [];
    const isWrong = key === "size" && !/^\d{1,15}$/.test(value ?? "");
    if (key === undefined || value === undefined || isWrong) throw new TarFault("a header is damaged");
    if (key === "path") found.name = value;
    else found.size = Number(value);
    at += length;
  }
  return found;
}
