import { type Bits, createBits } from "../bits.ts";

/** Profiles whose parameters say more of colours (ITU-T H.264, 7.3.2.1.1). */
const WITH_COLOURS: ReadonlySet<number> = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);
const MAX_SIDE = 16_384;
/** The size is before this, whatever a camera puts behind it. */
const MAX_READ_BYTES = 1_024;
const MAX_CYCLE = 255;

/** How large the pictures after a sequence parameter set are; undefined: it cannot be read. */
export function pictureSizeOf(parameters: Buffer): { width: number; height: number } | undefined {
  const read = createBits(withoutEmulation(parameters.subarray(1, MAX_READ_BYTES)));
  const profile = read.bits(8);
  read.bits(16);
  read.unsigned();
  const chroma = WITH_COLOURS.has(profile) ? readColours(read) : 1;
  read.unsigned();
  skipOrder(read);
  read.unsigned();
  read.bit();
  const columns = read.unsigned() + 1;
  const rows = read.unsigned() + 1;
  const fields = 2 - read.bit();
  if (fields === 2) read.bit();
  read.bit();
  const [left, right, top, bottom] =
    read.bit() === 1 ? [read.unsigned(), read.unsigned(), read.unsigned(), read.unsigned()] : [0, 0, 0, 0];
  const width = columns * 16 - (left + right) * (chroma === 1 || chroma === 2 ? 2 : 1);
  const height = rows * 16 * fields - (top + bottom) * fields * (chroma === 1 ? 2 : 1);
  const isSize = (side: number) => side > 0 && side <= MAX_SIDE;
  return isSize(width) && isSize(height) ? { width, height } : undefined;
}

function readColours(read: Bits): number {
  const chroma = read.unsigned();
  if (chroma === 3) read.bit();
  read.unsigned();
  read.unsigned();
  read.bit();
  const lists = read.bit() === 1 ? (chroma === 3 ? 12 : 8) : 0;
  for (let i = 0; i < lists; i += 1) if (read.bit() === 1) skipScaling(read, i < 6 ? 16 : 64);
  return chroma;
}

function skipScaling(read: Bits, count: number): void {
  let last = 8;
  let next = 8;
  for (let i = 0; i < count; i += 1) {
    if (next !== 0) next = (last + read.signed() + 256) % 256;
    if (next !== 0) last = next;
  }
}

function skipOrder(read: Bits): void {
  const type = read.unsigned();
  if (type === 0) read.unsigned();
  if (type !== 1) return;
  read.bit();
  read.signed();
  read.signed();
  const cycle = read.unsigned();
  for (let i = 0; i < Math.min(cycle, MAX_CYCLE); i += 1) read.signed();
}

/** Two zeros and a three: the three is there so that no start code is inside. */
function withoutEmulation(bytes: Buffer): Buffer {
  const kept: number[] = [];
  let zeros = 0;
  for (const byte of bytes) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    kept.push(byte);
  }
  return Buffer.from(kept);
}
