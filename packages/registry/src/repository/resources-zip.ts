import { writeZip } from "../archives/write-zip.ts";
import { byCodeUnit } from "./by-code-unit.ts";

/**
 * resources.zip: the icons by identifier, two parts to a path as clients of the field expect. Stored, not compressed:
 * PNG would not shrink, and compressed bytes differ from one build of zlib to the next.
 */
export function writeResources(icons: ReadonlyMap<string, Uint8Array>): Buffer {
  const sorted = [...icons].sort(([a], [b]) => byCodeUnit(a, b));
  return writeZip(sorted.map(([identifier, bytes]) => ({ path: `${identifier}/icon.png`, bytes, store: true })));
}
