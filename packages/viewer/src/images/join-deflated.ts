import { setImmediate } from "node:timers/promises";

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

const HEADER_BYTES = 2;
const CHECK_BYTES = 4;
/** The rest of an empty stored block, after its three header bits and padding: length 0 and its complement. */
const EMPTY_BLOCK = Buffer.from([0, 0, 0xff, 0xff]);
const ADLER_MODULUS = 65_521;

export async function joinDeflated(parts: readonly Part[]): Promise<Buffer> {
  const [first] = parts;
  if (first === undefined) throw new RangeError("Nothing to join.");
  const bodies = parts.map(({ stream }) => stream.subarray(HEADER_BYTES, stream.length - CHECK_BYTES));
  const continued = await Promise.all(bodies.slice(0, -1).map(withoutEnd));
  const check = Buffer.alloc(CHECK_BYTES);
  check.writeUInt32BE(
    parts.slice(1).reduce((sum, part) => joinChecks(sum, checkOf(part), part.length), checkOf(first)),
  );
  return Buffer.concat([first.stream.subarray(0, HEADER_BYTES), ...continued, bodies.at(-1) ?? Buffer.alloc(0), check]);
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

const checkOf = ({ stream }: Part): number => stream.readUInt32BE(stream.length - CHECK_BYTES);

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

/** Blocks between two pauses for other work: about 20 ms for an image of noise. */
const BLOCKS_AT_ONCE = 16;

/** Walks over a raw deflate stream without decompressing it. Rejects with RangeError when it is incomplete. */
export async function findLastBlock(stream: Buffer): Promise<LastBlock> {
  const bits = bitReader(stream);
  for (let block = 1; ; block += 1) {
    if (block % BLOCKS_AT_ONCE === 0) await setImmediate();
    const headerAt = bits.position();
    const isLast = bits.take(1) === 1;
    const type = bits.take(2);
    if (type === STORED) bits.skipStored();
    else if (type === FIXED) skipSymbols(bits, fixedLiterals, fixedDistances);
    else if (type === DYNAMIC) skipDynamic(bits);
    else throw new RangeError("Unknown block type.");
    if (isLast) return { headerAt, endAt: bits.position() };
  }
}

type Bits = ReturnType<typeof bitReader>;

function bitReader(stream: Buffer) {
  let position = 0;
  /** The next 16 bits; zeros past the end, where `skip` throws. */
  const peek = (): number => {
    const byte = position >>> 3;
    const word = (stream[byte] ?? 0) | ((stream[byte + 1] ?? 0) << 8) | ((stream[byte + 2] ?? 0) << 16);
    return (word >>> (position & 7)) & 0xffff;
  };
  const skip = (count: number) => {
    position += count;
    if (position > stream.length * 8) throw new RangeError("The stream is cut off.");
  };
  const take = (count: number): number => {
    const value = peek() & ((1 << count) - 1);
    skip(count);
    return value;
  };
  const skipStored = () => {
    skip((8 - (position & 7)) & 7);
    const length = take(16);
    skip(16 + length * 8);
  };
  return { peek, skip, take, skipStored, position: () => position };
}

/** Indexed by the next 15 bits: the symbol that they start with and the length of its code, as `symbol << 4 | length`. */
type Codes = Uint16Array;

function codesOf(lengths: readonly number[]): Codes {
  const table = new Uint16Array(1 << LONGEST_CODE);
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
    for (let at = reversed(code, length); at < table.length; at += 1 << length) table[at] = (symbol << 4) | length;
  }
  return table;
}

/** Huffman codes are stored with their first bit first, everything else with its lowest bit first. */
function reversed(code: number, length: number): number {
  let result = 0;
  for (let bit = 0; bit < length; bit++) result |= ((code >>> bit) & 1) << (length - 1 - bit);
  return result;
}

const repeat = (count: number, value: number) => new Array<number>(count).fill(value);
const fixedLiterals = codesOf([...repeat(144, 8), ...repeat(112, 9), ...repeat(24, 7), ...repeat(8, 8)]);
const fixedDistances = codesOf(repeat(30, 5));

function takeSymbol(bits: Bits, codes: Codes): number {
  const entry = codes[bits.peek() & 0x7fff] ?? 0;
  if (entry === 0) throw new RangeError("Unknown code.");
  bits.skip(entry & 15);
  return entry >>> 4;
}

function skipSymbols(bits: Bits, literals: Codes, distances: Codes): void {
  for (;;) {
    const symbol = takeSymbol(bits, literals);
    if (symbol === END_OF_BLOCK) return;
    if (symbol < END_OF_BLOCK) continue;
    bits.skip(LENGTH_EXTRA[symbol - END_OF_BLOCK - 1] ?? 0);
    const distance = takeSymbol(bits, distances);
    bits.skip(Math.max(0, (distance >>> 1) - 1));
  }
}

function skipDynamic(bits: Bits): void {
  const literals = bits.take(5) + 257;
  const distances = bits.take(5) + 1;
  const written = bits.take(4) + 4;
  const ofLengths = repeat(LENGTHS_ORDER.length, 0);
  for (const symbol of LENGTHS_ORDER.slice(0, written)) ofLengths[symbol] = bits.take(3);
  const codes = codesOf(ofLengths);
  const lengths: number[] = [];
  while (lengths.length < literals + distances) {
    const symbol = takeSymbol(bits, codes);
    if (symbol < 16) lengths.push(symbol);
    else if (symbol === 16) lengths.push(...repeat(3 + bits.take(2), lengths.at(-1) ?? 0));
    else lengths.push(...repeat(symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7), 0));
  }
  skipSymbols(bits, codesOf(lengths.slice(0, literals)), codesOf(lengths.slice(literals, literals + distances)));
}
