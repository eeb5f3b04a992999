const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The header chunk comes first, and its length is fixed. */
const HEADER = Buffer.from("\0\0\0\rIHDR", "latin1");
const HEADER_END = 24;
/** A side; small files can say that they are pictures of gigabytes. */
const MAX_ICON_PIXELS = 2048;

/** Whether these are the bytes of a PNG that is safe to show. */
export function isIcon(bytes: Buffer): boolean {
  if (bytes.length < HEADER_END) return false;
  if (!bytes.subarray(0, 8).equals(SIGNATURE) || !bytes.subarray(8, 16).equals(HEADER)) return false;
  const sides = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return sides.every((side) => side > 0 && side <= MAX_ICON_PIXELS);
}
