import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isLong, root } from "./files.ts";

/**
 * What a test does to its whole process: measures its memory, changes its environment or its clock, patches a module of
 * Node. Such a file must not share the process with others.
 */
const WHOLE_PROCESS = [
  /\bprocess\.(memoryUsage|umask|chdir|exit|on\(|once\()/,
  /\bprocess\.env\.\w+ \??\??=[^=]/,
  /\bdelete process\.env\b/,
  /\bsetFlagsFromString\b/,
  /\bsyncBuiltinESMExports\b/,
  /(?<!\.)\bmock\.timers\b/,
  /\b(Reflect|Object)\.\w+\(globalThis\b/,
  // Waits while it is read; see group.ts.
  /^(const .*= |)await /m,
];

const SUPPORT = /from "(\.[^"]*\.suite\.ts)"/g;

/** Whether a test file, or a suite that it imports, needs a process of its own. */
function needsOwnProcess(file: string): boolean {
  const seen = new Set<string>();
  const check = (path: string): boolean => {
    if (seen.has(path) || !existsSync(path)) return false;
    seen.add(path);
    const source = readFileSync(path, "utf8");
    if (WHOLE_PROCESS.some((pattern) => pattern.test(source))) return true;
    return [...source.matchAll(SUPPORT)].some(([, name = ""]) => check(join(dirname(path), name)));
  };
  return check(join(root, file));
}

/** Files that may share a process, in groups of neighbours, which import much the same; the others alone. */
export function groupFiles(files: readonly string[], groupSize: number): string[][] {
  const groups: string[][] = [];
  let shared: string[] = [];
  for (const file of files) {
    if (needsOwnProcess(file)) {
      groups.push([file]);
      continue;
    }
    if (shared.length === groupSize || neighbourhood(shared[0]) !== neighbourhood(file)) shared = [];
    if (shared.length === 0) groups.push(shared);
    shared.push(file);
  }
  return groups;
}

/** The package of a file. A long e2e file is a neighbourhood of its own: what follows in its process would start late. */
function neighbourhood(file = ""): string {
  const [top = "", next] = file.split("/");
  if (top === "e2e") return isLong(file) ? file : top;
  return `${top}/${next}`;
}
