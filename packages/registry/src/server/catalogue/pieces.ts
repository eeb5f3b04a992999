import { createHash, type Hash } from "node:crypto";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import { promisify } from "node:util";
import { constants, crc32, deflateRaw } from "node:zlib";
import { limitConcurrency } from "@backplane/kit/concurrency";

/*
 * Why this exists: packages.json is written again with every publication, though only one package in it has changed. To
 * compress and hash megabytes took most of the time of a publication. So a file is a list of pieces: those that did not change
 * are neither compressed again, nor hashed again if they come before the first that did.
 *
 * A gzip file (RFC 1952) is a header, a deflate stream, and the CRC-32 and the length of the uncompressed data. The stream of
 * each piece ends on a byte and without the mark of the last block, so that another can follow. Several gzip files one
 * after the other would be simpler, but curl, and with it KiCad, reads only the first of them.
 */

/** A part of a file. The same object means the same bytes. */
export type Piece = {
  readonly bytes: Buffer;
  compressed?: Promise<Compressed>;
  /** The same without its first byte. */
  shortened?: Piece;
};

/** `factor`: by what the checksum of what precedes it is multiplied, see `joinCrcs`. */
type Compressed = { stream: Buffer; crc: number; factor: number };

export const pieceOf = (bytes: Buffer): Piece => ({ bytes });

export const pieceOfText = (text: string): Piece => pieceOf(Buffer.from(text));

/** A list begins with an entry, not with the comma before it. */
export function withoutComma(piece: Piece): Piece {
  piece.shortened ??= pieceOf(piece.bytes.subarray(1));
  return piece.shortened;
}

export const bytesIn = (buffers: readonly Buffer[]): number => buffers.reduce((sum, { length }) => sum + length, 0);

/** Computed while a publisher waits: half the time of the default level, for a tenth more bytes. */
const LEVEL = 4;
/** No name, no time, made on Unix: as zlib writes it. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
const LAST_BLOCK = Buffer.from([3, 0]);
const TRAILER_BYTES = 8;
/** As many as Node has threads for. Each takes a quarter of a megabyte from when it is asked for, not from when it begins. */
export const COMPRESSED_AT_ONCE = 4;

const deflate = promisify<Buffer, { level: number; finishFlush: number }, Buffer>(deflateRaw);

/** One gzip file of these pieces. Each piece is compressed once, and several at a time. */
export async function gzipPieces(pieces: readonly Piece[]): Promise<readonly Buffer[]> {
  const inTurn = limitConcurrency({ atOnce: COMPRESSED_AT_ONCE });
  const parts = await Promise.all(pieces.map((piece) => compressed(piece, inTurn)));
  const trailer = Buffer.alloc(TRAILER_BYTES);
  const crc = parts.reduce((sum, part) => joinCrcs(sum, part.crc, part.factor), 0);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(bytesIn(pieces.map(({ bytes }) => bytes)) % 2 ** 32, TRAILER_BYTES / 2);
  return [HEADER, ...parts.map(({ stream }) => stream), Buffer.concat([LAST_BLOCK, trailer])];
}

function compressed(piece: Piece, inTurn: ReturnType<typeof limitConcurrency>): Promise<Compressed> {
  piece.compressed ??= inTurn(async () => ({
    stream: await deflate(piece.bytes, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH }),
    crc: crc32(piece.bytes),
    factor: crcFactor(piece.bytes.length),
  }));
  return piece.compressed;
}

/** The polynomial of CRC-32 with its bits reversed, so that the highest bit is the coefficient of 1. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/** The product of two polynomials modulo that of CRC-32. */
function multiply(a: number, b: number): number {
  let [product, shifted] = [0, b];
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}

/** x to the powers 8, 16, 32 …: by what a checksum is multiplied when 1, 2, 4 … bytes follow. */
const POWERS = Array.from({ length: 32 }).reduce<number[]>((powers) => {
  const last = powers.at(-1);
  return [...powers, last === undefined ? ONE >>> 8 : multiply(last, last)];
}, []);

/** By what a checksum is multiplied when so many bytes follow. */
export function crcFactor(bytes: number): number {
  let factor = ONE;
  for (let [place, left] = [0, bytes]; left > 0; place += 1, left = Math.floor(left / 2)) {
    if (left % 2 === 1) factor = multiply(POWERS[place] ?? ONE, factor);
  }
  return factor >>> 0;
}

/** The CRC-32 of two texts one after the other, from those of both and the factor for the length of the second. */
export const joinCrcs = (first: number, second: number, factor: number): number =>
  (multiply(factor, first) ^ second) >>> 0;

/** After so many bytes, which take a few milliseconds, other requests get their turn. */
const HASHED_AT_ONCE = 2_000_000;

/**
 * The SHA-256 of one file after the other: what precedes the first piece that changed is not read again. Call it for one file at a
 * time.
 */
export function createHasher(): (pieces: readonly Piece[]) => Promise<string> {
  let known: { piece: Piece; after: Hash }[] = [];
  return async (pieces) => {
    const changed = known.findIndex(({ piece }, place) => piece !== pieces[place]);
    if (changed >= 0) known = known.slice(0, changed);
    let hash = known.at(-1)?.after.copy() ?? createHash("sha256");
    let hashed = 0;
    for (const piece of pieces.slice(known.length)) {
      hashed += piece.bytes.length;
      if (hashed > HASHED_AT_ONCE) {
        hashed = 0;
        await yieldToOthers();
      }
      hash.update(piece.bytes);
      known.push({ piece, after: hash });
      hash = hash.copy();
    }
    return hash.digest("hex");
  };
}
