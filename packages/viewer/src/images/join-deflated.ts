import { setImmediate } from "node:timers/promises";
import { LEVEL_9_HEADER } from "./png.ts";

/*
 * Why this exists: compressing a photograph takes most of the time of a paste, and a deflate stream is written by one
 * thread. So an image is cut into horizontal strips that are compressed at the same time (see strips.ts), and the streams
 * are joined here into the single zlib stream that a PNG needs.
 *
 * A zlib stream (RFC 1950) is 2 header bytes, a deflate stream, and a checksum (Adler-32) of the uncompressed data. A
 * deflate stream (RFC 1951) is a sequence of blocks; blocks need not start on a byte, and one bit in the last block says
 * that it is the last. To join streams, each but the last gets that bit cleared and an empty stored block appended, which
 * ends on a byte, so that the next stream can follow. The checksums are combined arithmetically.
 *
 * Finding the last block means walking over all blocks, because a block does not say how long it is: the second half of
 * this file reads the Huffman codes, but produces no output. The compressor itself (zlib-ng inside sharp) cannot be asked
 * to leave the stream open, and Node's own zlib, which can, takes 1.7 times as long for photographs.
 */

/** A zlib stream, and the length of the data it was made from. */
export type Part = { stream: Buffer; length: number };

const CHECK_BYTES = 4;
/** The rest of an empty stored block, after its three header bits and padding: length 0 and its complement. */
const EMPTY_BLOCK = Buffer.from([0, 0, 0xff, 0xff]);
const ADLER_MODULUS = 65_521;

/** Each part is read as soon as it is there. */
export async function joinDeflated(coming: readonly Promise<Part>[]): Promise<Buffer> {
  const parts = await Promise.all(
    coming.map(async (one, index) => {
      const { stream, length } = await one;
      const body = stream.subarray(LEVEL_9_HEADER.length, stream.length - CHECK_BYTES);
      const isLast = index === coming.length - 1;
      return { stream, length, continued: isLast ? body : await withoutEnd(body) };
    }),
  );
  const [first] = parts;
  if (first === undefined) throw new RangeError("Nothing to join.");
  const check = Buffer.alloc(CHECK_BYTES);
  check.writeUInt32BE(
    parts.slice(1).reduce((sum, part) => joinChecks(sum, checkOf(part), part.length), checkOf(first)),
  );
  return Buffer.concat([LEVEL_9_HEADER, ...parts.map(({ continued }) => continued), check]);
}

/** Clears the mark of the last block, and appends an empty block that ends on a byte. */
async function withoutEnd(deflated: Buffer): Promise<Buffer> {
  const { headerAt, endAt } = await findLastBlock(deflated);
  const body = Buffer.alloc(Math.ceil((endAt + 3) / 8));
  deflated.copy(body, 0, 0, Math.ceil(endAt / 8));
  const headerByte = headerAt >>> 3;
  body[headerByte] = (body[headerByte] ?? 0) & ~(1 << (headerAt & 7));
  return Buffer.concat([body, EMPTY_BLOCK]);
}

const checkOf = ({ stream }: Pick<Part, "stream">): number => stream.readUInt32BE(stream.length - CHECK_BYTES);

/** Combines the Adler-32 of two parts. `b` counts each byte once for itself and once for every byte after it. */
function joinChecks(first: number, second: number, secondLength: number): number {
  const [a1, b1, a2, b2] = [first & 0xffff, first >>> 16, second & 0xffff, second >>> 16];
  const a = (a1 + a2 - 1 + ADLER_MODULUS) % ADLER_MODULUS;
  const b = (b1 + b2 + (secondLength % ADLER_MODULUS) * (a1 - 1 + ADLER_MODULUS)) % ADLER_MODULUS;
  return ((b << 16) | a) >>> 0;
}

/** Positions in bits: where the last block starts, and where its content ends. */
export type LastBlock = { headerAt: number; endAt: number };

const STORED = 0;
const FIXED = 1;
const DYNAMIC = 2;
const END_OF_BLOCK = 256;
const LONGEST_CODE = 15;
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
/** RFC 1951 3.2.7: the order in which the code lengths of the code length alphabet are written. */
const LENGTHS_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Blocks between two pauses for other work: about 10 ms for an image of noise. */
const BLOCKS_AT_ONCE = 16;

/** Walks over a raw deflate stream without decompressing it. Rejects with RangeError when it is incomplete. */
export async function findLastBlock(stream: Buffer): Promise<LastBlock> {
  const bits: Bits = { stream, position: 0 };
  for (let block = 1; ; block += 1) {
    if (block % BLOCKS_AT_ONCE === 0) await setImmediate();
    const headerAt = bits.position;
    const isLast = take(bits, 1) === 1;
    const type = take(bits, 2);
    if (type === STORED) skipStored(bits);
    else if (type === FIXED) skipSymbols(bits, fixedCodes);
    else if (type === DYNAMIC) skipSymbols(bits, takeCodes(bits));
    else throw new RangeError("Unknown block type.");
    if (bits.position > stream.length * 8) throw cutOff();
    if (isLast) return { headerAt, endAt: bits.position };
  }
}

const cutOff = () => new RangeError("The stream is cut off.");

type Bits = { readonly stream: Buffer; position: number };

/** The next 16 bits; zeros past the end. */
function bitsAt(stream: Buffer, position: number): number {
  const byte = position >>> 3;
  const word = (stream[byte] ?? 0) | ((stream[byte + 1] ?? 0) << 8) | ((stream[byte + 2] ?? 0) << 16);
  return (word >>> (position & 7)) & 0xffff;
}

function take(bits: Bits, count: number): number {
  const value = bitsAt(bits.stream, bits.position) & ((1 << count) - 1);
  bits.position += count;
  return value;
}

function skipStored(bits: Bits): void {
  bits.position += (8 - (bits.position & 7)) & 7;
  const length = take(bits, 16);
  bits.position += 16 + length * 8;
}

/**
 * Indexed by the next bits, as many as the longest code has: the symbol that they start with, and the length of its code
 * together with the bits after it that belong to it, as `symbol << 5 | length`. 0: no code starts like this.
 */
type Codes = { table: Uint16Array; mask: number };
type BlockCodes = { literals: Codes; distances: Codes };

function codesOf(lengths: readonly number[], extraBits: (symbol: number) => number): Codes {
  const longest = Math.max(...lengths);
  const table = new Uint16Array(1 << longest);
  const counts = new Array<number>(LONGEST_CODE + 1).fill(0);
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] ?? 0) + 1;
  const next = new Array<number>(LONGEST_CODE + 1).fill(0);
  for (let length = 1; length < LONGEST_CODE; length++) {
    next[length + 1] = ((next[length] ?? 0) + (counts[length] ?? 0)) << 1;
  }
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const code = next[length] ?? 0;
    next[length] = code + 1;
    const entry = (symbol << 5) | (length + extraBits(symbol));
    for (let at = reversed(code, length); at < table.length; at += 1 << length) table[at] = entry;
  }
  return { table, mask: table.length - 1 };
}

/** Huffman codes are stored with their first bit first, everything else with its lowest bit first. */
function reversed(code: number, length: number): number {
  let result = 0;
  for (let bit = 0; bit < length; bit++) result |= ((code >>> bit) & 1) << (length - 1 - bit);
  return result;
}

const ofLiteral = (symbol: number): number => LENGTH_EXTRA[symbol - END_OF_BLOCK - 1] ?? 0;
const ofDistance = (symbol: number): number => Math.max(0, (symbol >>> 1) - 1);

const blockCodes = (literals: readonly number[], distances: readonly number[]): BlockCodes => ({
  literals: codesOf(literals, ofLiteral),
  distances: codesOf(distances, ofDistance),
});

const repeat = (count: number, value: number) => new Array<number>(count).fill(value);
const fixedCodes = blockCodes([...repeat(144, 8), ...repeat(112, 9), ...repeat(24, 7), ...repeat(8, 8)], repeat(30, 5));

/** To the end of the block. The loop runs for every symbol of an image. */
function skipSymbols(bits: Bits, { literals, distances }: BlockCodes): void {
  const { stream } = bits;
  const endAt = stream.length * 8;
  let { position } = bits;
  while (position < endAt) {
    const entry = entryAt(stream, position, literals);
    const symbol = entry >>> 5;
    position += entry & 31;
    if (symbol === END_OF_BLOCK) {
      bits.position = position;
      return;
    }
    if (symbol > END_OF_BLOCK) position += entryAt(stream, position, distances) & 31;
  }
  throw cutOff();
}

function entryAt(stream: Buffer, position: number, { table, mask }: Codes): number {
  const entry = table[bitsAt(stream, position) & mask] ?? 0;
  if (entry === 0) throw new RangeError("Unknown code.");
  return entry;
}

function takeCodes(bits: Bits): BlockCodes {
  const literals = take(bits, 5) + 257;
  const distances = take(bits, 5) + 1;
  const written = take(bits, 4) + 4;
  const ofLengths = repeat(LENGTHS_ORDER.length, 0);
  for (const symbol of LENGTHS_ORDER.slice(0, written)) ofLengths[symbol] = take(bits, 3);
  const codes = codesOf(ofLengths, () => 0);
  const lengths: number[] = [];
  while (lengths.length < literals + distances) {
    const entry = entryAt(bits.stream, bits.position, codes);
    const symbol = entry >>> 5;
    bits.position += entry & 31;
    if (symbol < 16) lengths.push(symbol);
    else if (symbol === 16) lengths.push(...repeat(3 + take(bits, 2), lengths.at(-1) ?? 0));
    else lengths.push(...repeat(symbol === 17 ? 3 + take(bits, 3) : 11 + take(bits, 7), 0));
  }
  return blockCodes(lengths.slice(0, literals), lengths.slice(literals, literals + distances));
}
