import { Problem } from "@backplane/kit/problems";

/** RFC 9110, 14.2: one range of bytes, both ends in it. Undefined: all of it; several ranges are answered with all, too. */
export function rangeOf(header: string | undefined, size: number): [number, number] | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const [start, end] =
    first === ""
      ? [Math.max(0, size - Number(last)), size - 1]
      : [Number(first), last === "" ? size - 1 : Number(last)];
  if (first !== "" && last !== "" && end < start) return undefined;
  if (start < size && !(first === "" && Number(last) === 0)) return [start, Math.min(end, size - 1)];
  throw new Problem("range-unsatisfiable", {
    detail: `The file has ${size} bytes.`,
    headers: { "content-range": `bytes */${size}` },
  });
}
