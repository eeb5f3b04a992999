import { setImmediate as yieldToOthers } from "node:timers/promises";
import { fileOfPieces, type IndexFile } from "./index-file.ts";
import type { ListedPackage } from "./listed-package.ts";
import { createHasher, type Piece, pieceOfText, withoutComma } from "./pieces.ts";

/** After this many segments that had to be written, other requests get their turn. */
const SEGMENTS_AT_ONCE = 4;

type Segment<Written> = { packages: readonly ListedPackage[]; written: Written };

/** Writes a list of packages, which must be sorted, in segments: again only those in which a package has changed. */
export function createSegments<Written>(write: (packages: readonly ListedPackage[]) => Written) {
  /** By their first package. */
  let known = new Map<ListedPackage, Segment<Written>>();

  return async (packages: readonly ListedPackage[]): Promise<Written[]> => {
    const next: typeof known = new Map();
    let written = 0;
    for (let start = 0; start < packages.length; ) {
      const end = endOf(packages, start);
      const first = packages[start] as ListedPackage;
      const before = known.get(first);
      const isSame =
        before?.packages.length === end - start &&
        before.packages.every((listed, place) => listed === packages[start + place]);
      if (before && isSame) next.set(first, before);
      else {
        const changed = packages.slice(start, end);
        next.set(first, { packages: changed, written: write(changed) });
        written += 1;
        if (written % SEGMENTS_AT_ONCE === 0) await yieldToOthers();
      }
      start = end;
    }
    known = next;
    return Array.from(next.values(), (segment) => segment.written);
  };
}

/** After the last package of the segment that begins here. */
function endOf(packages: readonly ListedPackage[], start: number): number {
  let end = start;
  while (end < packages.length && !packages[end]?.endsSegment) end += 1;
  return Math.min(end + 1, packages.length);
}

/** Entries of a list, as one piece, with a comma before each. */
export const entriesPiece = (texts: readonly string[]): Piece => pieceOfText(texts.map((text) => `,${text}`).join(""));

/** Makes one file after the other of such pieces; the same file if none has changed. */
export function createListFile(name: string, ends: readonly [string, string]) {
  const [head, tail] = [pieceOfText(ends[0]), pieceOfText(ends[1])];
  const hash = createHasher();
  let last: IndexFile | undefined;

  return (entries: readonly Piece[]): IndexFile => {
    const [first, ...others] = entries.filter(({ bytes }) => bytes.length > 0);
    const pieces = [head, ...(first ? [withoutComma(first), ...others] : []), tail];
    const isSame = last?.pieces.length === pieces.length && last.pieces.every((piece, at) => piece === pieces[at]);
    if (last && isSame) return last;
    const next = fileOfPieces(name, pieces, hash(pieces));
    // A segment may have been written again with the same bytes; the file before has its compressed forms.
    if (next.sha256 !== last?.sha256) last = next;
    return last ?? next;
  };
}
