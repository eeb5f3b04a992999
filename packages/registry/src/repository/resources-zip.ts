import { writeZip, writeZipPart, type ZipEntry, type ZipPart } from "../archives/write-zip.ts";
import { byCodeUnit } from "../values.ts";

/**
 * resources.zip: the icons as {identifier}/icon.png, which KiCad expects. Stored, not compressed: PNG would not shrink,
 * and compressed bytes differ between builds of zlib.
 */
export function writeResources(icons: ReadonlyMap<string, Uint8Array>): Buffer {
  return writeZip([...icons].sort(([a], [b]) => byCodeUnit(a, b)).map(entryOf));
}

/** The icons of some packages that follow each other in resources.zip; they must be sorted. */
export const writeResourcesPart = (icons: readonly (readonly [identifier: string, bytes: Uint8Array])[]): ZipPart =>
  writeZipPart(icons.map(entryOf));

const entryOf = ([identifier, bytes]: readonly [string, Uint8Array]): ZipEntry => ({
  path: `${identifier}/icon.png`,
  bytes,
  store: true,
});

/** Offsets of the fields in a local header. */
const HEADER = { signature: 0x04034b50, bytes: 30, packedSize: 18, nameLength: 26, extraLength: 28 } as const;

/** The icons, by identifier, in a resources.zip that we wrote and that is intact. */
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
