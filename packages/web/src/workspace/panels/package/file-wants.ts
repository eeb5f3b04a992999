/** Whether a panel may read or write a file: `read:data/**` is every file below data, `*` everything within one part. */
export function isFileWanted(wants: readonly string[], access: "read" | "write", path: string): boolean {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) return false;
  return wants.some((want) => {
    const [kind, pattern = ""] = want.split(":", 2);
    return kind === access && fits(pattern.split("/"), parts);
  });
}

/** Each pattern is held against each part once: patterns are of anybody, and must not take the page's time. */
function fits(patterns: readonly string[], parts: readonly string[]): boolean {
  /** At `i`: whether the patterns so far fit the first `i` parts. */
  let reached = [true, ...parts.map(() => false)];
  for (const [n, pattern] of patterns.entries()) {
    if (pattern === "**") {
      const first = reached.indexOf(true);
      // At the end it is at least one part: a folder is not a file in it.
      const from = first + (n === patterns.length - 1 ? 1 : 0);
      reached = reached.map((_, i) => first !== -1 && i >= from);
    } else reached = [false, ...parts.map((part, i) => reached[i] === true && fitsPart(pattern, part))];
  }
  return reached.at(-1) === true;
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
