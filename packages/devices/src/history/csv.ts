import type { History } from "@backplane/contract/devices";

const LINE_END = "\r\n";

/** RFC 4180. Samples have a column per field, buckets four. */
export function csvOf({ sizeMs, tMs, fields }: History): string {
  const names = Object.keys(fields);
  const kinds = ["min", "max", "mean", "last"] as const;
  const columns =
    sizeMs === 0
      ? names.map((name) => [name, fields[name]?.last ?? []] as const)
      : names.flatMap((name) => kinds.map((kind) => [`${name}_${kind}`, fields[name]?.[kind] ?? []] as const));
  const head = ["time", ...columns.map(([name]) => name)].join(",");
  const rows = tMs.map((at, i) =>
    [new Date(at).toISOString(), ...columns.map(([, values]) => values[i] ?? "")].join(","),
  );
  return [head, ...rows, ""].join(LINE_END);
}
