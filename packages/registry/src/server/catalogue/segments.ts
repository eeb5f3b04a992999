import { hash } from "node:crypto";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import { fileOfPieces, type IndexFile } from "./index-file.ts";
import type { ListedPackage } from "./listed-package.ts";
import { createHasher, type Piece, pieceOfText, withoutComma } from "./pieces.ts";

/** After this many segments that had to be written, other requests get their turn. */
const SEGMENTS_AT_ONCE = 4;

/** Packages that follow each other. The same object means the same packages. */
export type Segment = readonly ListedPackage[];

/** Cuts a list of packages, which must be sorted, into segments; those without a change are the same as before. */
export function createCutter(): (packages: readonly ListedPackage[]) => Segment[] {
  /** By their first package. */
  let known = new Map<ListedPackage, Segment>();

  return (packages) => {
    const next: typeof known = new Map();
    for (let start = 0; start < packages.length; ) {
      const end = endOf(packages, start);
      const first = packages[start] as ListedPackage;
      const before = known.get(first);
      const isSame =
        before?.length === end - start && before.every((listed, place) => listed === packages[start + place]);
      next.set(first, before && isSame ? before : packages.slice(start, end));
      start = end;
    }
    known = next;
    return [...next.values()];
  };
}

/** Writes each segment once. */
export function createSegments<Written>(write: (packages: Segment) => Written) {
  let known = new Map<Segment, Written>();

  return async (segments: readonly Segment[]): Promise<Written[]> => {
    const next: typeof known = new Map();
    let written = 0;
    for (const segment of segments) {
      const before = known.get(segment);
      next.set(segment, before ?? write(segment));
      if (before) continue;
      written += 1;
      if (written % SEGMENTS_AT_ONCE === 0) await yieldToOthers();
    }
    known = next;
    return [...next.values()];
  };
}

/** After the last package of the segment that begins here. */
function endOf(packages: readonly ListedPackage[], start: number): number {
  let end = start;
  while (end < packages.length && !packages[end]?.endsSegment) end += 1;
  return Math.min(end + 1, packages.length);
}

/** The name of what is written of a segment: another one as soon as a package in it changes. */
export const nameOf = (kind: string, segment: Segment): string =>
  `${kind} ${hash("sha256", segment.map(({ root, digest }) => `${root} ${digest}`).join("\n"), "base64")}`;

/** Entries of a list, as one piece, with a comma before each. */
export const entriesPiece = (texts: readonly string[]): Piece => pieceOfText(texts.map((text) => `,${text}`).join(""));

/** Makes one file after the other of such pieces; the same file if none has changed. */
export function createListFile(name: string, ends: readonly [string, string]) {
  const [head, tail] = [pieceOfText(ends[0]), pieceOfText(ends[1])];
  const hashPieces = createHasher();
  let last: IndexFile | undefined;

  return async (entries: readonly Piece[]): Promise<IndexFile> => {
    const [first, ...others] = entries.filter(({ bytes }) => bytes.length > 0);
    const pieces = [head, ...(first ? [withoutComma(first), ...others] : []), tail];
    const isSame = last?.pieces.length === pieces.length && last.pieces.every((piece, at) => piece === pieces[at]);
    if (last && isSame) return last;
    const next = fileOfPieces(name, pieces, await hashPieces(pieces));
    // A segment may have been written again with the same bytes; the file before has its compressed forms.
    if (next.sha256 !== last?.sha256) last = next;
    return last ?? next;
  };
}
