/** Whether a panel may read or write a file: `read:data/**` is every file below data, `*` everything within one part. */
export function isFileWanted(wants: readonly string[], access: "read" | "write", path: string): boolean {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) return false;
  return wants.some((want) => {
    const [kind, pattern = ""] = want.split(":", 2);
    return kind === access && fits(pattern.split("/"), parts);
  });
}

function fits([pattern, ...patterns]: readonly string[], [part, ...parts]: readonly string[]): boolean {
  if (pattern === undefined) return part === undefined;
  if (part === undefined) return false;
  if (pattern === "**")
    return patterns.length === 0 || fits(patterns, [part, ...parts]) || fits(["**", ...patterns], parts);
  return fitsPart(pattern, part) && fits(patterns, parts);
}

function fitsPart(pattern: string, part: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  if (others.length === 0) return part === pattern;
  const last = others.pop() ?? "";
  if (!part.startsWith(first) || !part.endsWith(last) || part.length < first.length + last.length) return false;
  let rest = part.slice(first.length, part.length - last.length);
  for (const middle of others) {
    const at = rest.indexOf(middle);
    if (at === -1) return false;
    rest = rest.slice(at + middle.length);
  }
  return true;
}
