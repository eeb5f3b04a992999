import { existsSync, globSync } from "node:fs";
import { join, relative } from "node:path";

export const root = join(import.meta.dirname, "../..");

export type Phase = "unit" | "conformance" | "examples" | "e2e";
export const phases: readonly Phase[] = ["unit", "conformance", "examples", "e2e"];

const service = /\.(postgres|redis|mosquitto)(\.long)?\.test\.ts$/;

/** Paths from the root, in order. `filters`: parts of a path, any of which must occur; none lets all through. */
export function findFiles(phase: Phase, filters: readonly string[]): string[] {
  return list(phase).filter((file) => filters.length === 0 || filters.some((filter) => file.includes(tidy(filter))));
}

function list(phase: Phase): string[] {
  if (phase === "e2e") return longestFirst(tests("e2e/**/*.test.ts"));
  if (phase === "examples") return glob("examples/*/main.ts");
  const all = tests("{packages,scripts,bench}/**/*.test.ts");
  return longestFirst(all.filter((file) => service.test(file) === (phase === "conformance")));
}

/** Starts of paths, the longest files first: one of these that began last would keep everybody waiting for it alone. */
const LONGEST: readonly string[] = [
  "e2e/panels",
  "e2e/platform.",
  "e2e/viewer-page",
  "e2e/packages.",
  "e2e/up",
  "e2e/viewer-names",
  "scripts/regular-expressions",
  "packages/devices/",
  "packages/viewer/",
  "packages/cli/",
  "packages/registry/",
];

export const isLong = (file: string): boolean => LONGEST.some((start) => file.startsWith(start));

function longestFirst(files: readonly string[]): string[] {
  const rankOf = (file: string) => {
    const rank = LONGEST.findIndex((start) => file.startsWith(start));
    return rank === -1 ? LONGEST.length : rank;
  };
  return files.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Of the named folders, those with a TypeScript or JavaScript file: tools refuse an empty one. */
export function foldersWithSources(folders: readonly string[]): string[] {
  return folders.filter((folder) => existsSync(join(root, folder)) && glob(`${folder}/**/*.{ts,tsx,mjs}`).length > 0);
}

/** `*.long.test.ts` is only for `npm run test:long`. */
function tests(pattern: string): string[] {
  return glob(pattern).filter((file) => process.env.TEST_LONG === "1" || !file.endsWith(".long.test.ts"));
}

function glob(pattern: string): string[] {
  const skip = (name: string) => /(^|\/)(node_modules|dist)$/.test(name);
  return globSync(pattern, { cwd: root, exclude: skip }).sort();
}

function tidy(filter: string): string {
  return relative(root, join(root, filter));
}
