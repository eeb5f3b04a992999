import { Problem } from "@backplane/kit/problems";
import type { BlobRange } from "./blob-store.ts";

/** The range as far as there are bytes. */
export function checkRange(range: BlobRange | undefined, size: number): BlobRange | undefined {
  if (!range) return undefined;
  if (range.start < 0 || range.end < range.start || range.start >= size) throw new Problem("range-not-satisfiable");
  return { start: range.start, end: Math.min(range.end, size - 1) };
}
