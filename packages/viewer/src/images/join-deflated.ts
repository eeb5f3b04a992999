import { findLastBlock } from "./deflate-blocks.ts";

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
