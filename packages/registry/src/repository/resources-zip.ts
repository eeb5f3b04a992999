import { writeZip } from "../archives/write-zip.ts";
import { byCodeUnit } from "../values.ts";

/**
 * resources.zip: the icons by identifier, two parts to a path as clients of the field expect. Stored, not compressed:
 * PNG would not shrink, and compressed bytes differ from one build of zlib to the next.
 */
export function writeResources(icons: ReadonlyMap<string, Uint8Array>): Buffer {
  const sorted = [...icons].sort(([a], [b]) => byCodeUnit(a, b));
  return writeZip(sorted.map(([identifier, bytes]) => ({ path: `${identifier}/icon.png`, bytes, store: true })));
}

/** Of a local header: where its parts are. */
const HEADER = { signature: 0x04034b50, bytes: 30, packedSize: 18, nameLength: 26, extraLength: 28 } as const;

/** The icons, by identifier, of a resources.zip that was written here and is known to be whole. */
export function readResources(bytes: Buffer): Map<string, Buffer> {
  const icons = new Map<string, Buffer>();
  let at = 0;
  while (at + HEADER.bytes <= bytes.length && bytes.readUInt32LE(at) === HEADER.signature) {
    const size = bytes.readUInt32LE(at + HEADER.packedSize);
    const nameEnd = at + HEADER.bytes + bytes.readUInt16LE(at + HEADER.nameLength);
    const start = nameEnd + bytes.readUInt16LE(at + HEADER.extraLength);
    const [identifier = ""] = bytes.toString("utf8", at + HEADER.bytes, nameEnd).split("/");
    icons.set(identifier, bytes.subarray(start, start + size));
    at = start + size;
  }
  return icons;
}
