/** One change of a text: the characters from `start` to `end` become `text`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** In the order of the text; of two insertions at one place the first given comes first. Throws when two overlap. */
function inOrder(length: number, splices: readonly Splice[]): Splice[] {
  const sorted = splices
    .map((splice, given) => ({ splice, given }))
    .sort((a, b) => a.splice.start - b.splice.start || a.splice.end - b.splice.end || a.given - b.given)
    .map(({ splice }) => splice);
  let at = 0;
  for (const { start, end } of sorted) {
    if (start < at || end < start || end > length) throw new RangeError("Changes overlap or lie outside of the text");
    at = end;
  }
  return sorted;
}

/** The text with all changes made. Positions are those of the text before any of them. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const splice of inOrder(text.length, splices)) {
    parts.push(text.slice(at, splice.start), splice.text);
    at = splice.end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

/** What undoes `splices`: to be applied to the text that they gave. */
export function invertSplices(text: string, splices: readonly Splice[]): Splice[] {
  let shift = 0;
  return inOrder(text.length, splices).map((splice) => {
    const start = splice.start + shift;
    shift += splice.text.length - (splice.end - splice.start);
    return { start, end: start + splice.text.length, text: text.slice(splice.start, splice.end) };
  });
}

/**
 * The same changes for a text that was changed by `others` in the meantime, or undefined where both changed one place.
 * Insertions at one place do not exclude each other: the others' come first.
 */
export function rebaseSplices(splices: readonly Splice[], others: readonly Splice[]): Splice[] | undefined {
  const before = [...others].sort((a, b) => a.start - b.start || a.end - b.end);
  const rebased: Splice[] = [];
  for (const splice of splices) {
    let shift = 0;
    for (const other of before) {
      if (other.start > splice.end) break;
      if (other.end <= splice.start) shift += other.text.length - (other.end - other.start);
      else if (other.start < splice.end) return undefined;
    }
    rebased.push({ start: splice.start + shift, end: splice.end + shift, text: splice.text });
  }
  return rebased;
}
