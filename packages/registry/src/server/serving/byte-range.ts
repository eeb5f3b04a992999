import type { BlobRange } from "../blobs/blob-store.ts";

const SINGLE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The part that a Range header asks for (RFC 9110, section 14). "whole": none, several, or one that cannot be read, which
 * a server may pass over; "unsatisfiable": the file has no such bytes.
 */
export function readRange(header: string | undefined, size: number): BlobRange | "whole" | "unsatisfiable" {
  const [, first = "", last = ""] = SINGLE.exec(header?.trim().toLowerCase() ?? "") ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return "whole";
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}
