const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The header chunk comes first and has a fixed length. */
const HEADER = Buffer.from("\0\0\0\rIHDR", "latin1");
const HEADER_END = 24;

/** The size of a PNG that is safe to show: a small file can claim to be a picture of gigabytes. */
export function pngSize(bytes: Buffer, maxSide: number): { width: number; height: number } | undefined {
  if (bytes.length < HEADER_END) return undefined;
  if (!bytes.subarray(0, 8).equals(SIGNATURE) || !bytes.subarray(8, 16).equals(HEADER)) return undefined;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return [width, height].every((side) => side > 0 && side <= maxSide) ? { width, height } : undefined;
}
