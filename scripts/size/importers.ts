import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

type Source = { path: string; text: string };

const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*|new URL\()"([^"]+)"/g;

/** How many product files import each file, by a relative path or by what its package exports. */
export function countImporters(root: string, sources: readonly Source[]): Map<string, number> {
  const exported = exportedPaths(root);
  const importers = new Map<string, Set<string>>();
  for (const { path, text } of sources) {
    for (const [, specifier = ""] of text.matchAll(SPECIFIER)) {
      const target = specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : exported.get(specifier);
      if (target === undefined || target === path) continue;
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
    }
  }
  return new Map([...importers].map(([path, by]) => [path, by.size]));
}

/** "@backplane/kit/log" → "packages/kit/src/log.ts" */
function exportedPaths(root: string): Map<string, string> {
  const paths = new Map<string, string>();
  for (const file of globSync("packages/*/package.json", { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, file), "utf8")) as {
      name: string;
      exports?: Record<string, string>;
    };
    for (const [entry, path] of Object.entries(exports)) {
      if (!entry.includes("*")) paths.set(normalize(join(name, entry)), normalize(join(dirname(file), path)));
      else addMatches(paths, root, { name: join(name, entry), pattern: join(dirname(file), path) });
    }
  }
  return paths;
}

function addMatches(
  paths: Map<string, string>,
  root: string,
  { name, pattern }: { name: string; pattern: string },
): void {
  const [before = "", after = ""] = pattern.split("*");
  for (const path of globSync(pattern, { cwd: root })) {
    paths.set(name.replace("*", path.slice(before.length, -after.length)), path);
  }
}
