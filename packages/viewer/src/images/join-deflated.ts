import { setImmediate } from "node:timers/promises";

/** A part that was compressed by itself as zlib stream (RFC 1950), and how many bytes it stands for. */
export type Part = { stream: Buffer; length: number };

const HEADER_BYTES = 2;
const CHECK_BYTES = 4;
/** After the three bits that begin it and as many as fill the byte: a stored block of nothing. */
const EMPTY_BLOCK = Buffer.from([0, 0, 0xff, 0xff]);
const ADLER_MODULUS = 65_521;

/** One zlib stream of all parts, so that they can be compressed at the same time. */
export async function joinDeflated(parts: readonly Part[]): Promise<Buffer> {
  const [first] = parts;
  if (first === undefined) throw new RangeError("There is nothing to join.");
  const bodies = parts.map(({ stream }) => stream.subarray(HEADER_BYTES, stream.length - CHECK_BYTES));
  const continued = await Promise.all(bodies.slice(0, -1).map(withoutEnd));
  const check = Buffer.alloc(CHECK_BYTES);
  check.writeUInt32BE(
    parts.slice(1).reduce((sum, part) => joinChecks(sum, checkOf(part), part.length), checkOf(first)),
  );
  return Buffer.concat([first.stream.subarray(0, HEADER_BYTES), ...continued, bodies.at(-1) ?? Buffer.alloc(0), check]);
}

/** Says of the last block that it is not, and comes to the end of a byte with an empty one. */
async function withoutEnd(deflated: Buffer): Promise<Buffer> {
  const { headerAt, endAt } = await findLastBlock(deflated);
  const body = Buffer.alloc(Math.ceil((endAt + 3) / 8));
  deflated.copy(body, 0, 0, Math.ceil(endAt / 8));
  const headerByte = headerAt >>> 3;
  body[headerByte] = (body[headerByte] ?? 0) & ~(1 << (headerAt & 7));
  return Buffer.concat([body, EMPTY_BLOCK]);
}

const checkOf = ({ stream }: Part): number => stream.readUInt32BE(stream.length - CHECK_BYTES);

/** Adler-32 of two parts from those of each: `b` counts every byte as often as it has bytes behind it, itself included. */
function joinChecks(first: number, second: number, secondLength: number): number {
  const [a1, b1, a2, b2] = [first & 0xffff, first >>> 16, second & 0xffff, second >>> 16];
  const a = (a1 + a2 - 1 + ADLER_MODULUS) % ADLER_MODULUS;
  const b = (b1 + b2 + (secondLength % ADLER_MODULUS) * (a1 - 1 + ADLER_MODULUS)) % ADLER_MODULUS;
  return ((b << 16) | a) >>> 0;
}

/** RFC 1951: where a stream's last block begins, and where its content ends, in bits. */
export type LastBlock = { headerAt: number; endAt: number };

const STORED = 0;
const FIXED = 1;
const DYNAMIC = 2;
const END_OF_BLOCK = 256;
const LONGEST_CODE = 15;
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
/** The order in which the lengths of the codes for lengths are written. */
const LENGTHS_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Blocks that are walked over before others have their turn: some 20 ms of noise. */
const BLOCKS_AT_ONCE = 16;

/** Walks over a raw deflate stream without making what it stands for. Rejects with RangeError when it is not whole. */
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
    else throw new RangeError("There is no such block.");
    if (isLast) return { headerAt, endAt: bits.position() };
  }
}

type Bits = ReturnType<typeof bitReader>;

function bitReader(stream: Buffer) {
  let position = 0;
  /** The next 16 bits; past the end they are zero, and whoever takes them is refused. */
  const peek = (): number => {
    const byte = position >>> 3;
    const word = (stream[byte] ?? 0) | ((stream[byte + 1] ?? 0) << 8) | ((stream[byte + 2] ?? 0) << 16);
    return (word >>> (position & 7)) & 0xffff;
  };
  const skip = (count: number) => {
    position += count;
    if (position > stream.length * 8) throw new RangeError("The stream ends too early.");
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

/** For every 15 bits that may come next: the symbol they begin with and how long its code is, as `symbol << 4 | length`. */
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

/** Codes are written from their first bit, everything else from its last. */
function reversed(code: number, length: number): number {
  let turned = 0;
  for (let bit = 0; bit < length; bit++) turned |= ((code >>> bit) & 1) << (length - 1 - bit);
  return turned;
}

const repeat = (count: number, value: number) => new Array<number>(count).fill(value);
const fixedLiterals = codesOf([...repeat(144, 8), ...repeat(112, 9), ...repeat(24, 7), ...repeat(8, 8)]);
const fixedDistances = codesOf(repeat(30, 5));

function takeSymbol(bits: Bits, codes: Codes): number {
  const entry = codes[bits.peek() & 0x7fff] ?? 0;
  if (entry === 0) throw new RangeError("There is no such code.");
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
