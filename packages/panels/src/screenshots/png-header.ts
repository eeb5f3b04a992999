const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
/** Signature, then the chunk IHDR: length, name, width, height. */
const HEADER_BYTES = 24;

/** How large a PNG says it is, without decoding it. Undefined: it is none. */
export function readPngSize(bytes: Buffer): { width: number; height: number } | undefined {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  if (bytes.toString("latin1", 12, 16) !== "IHDR") return undefined;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}
