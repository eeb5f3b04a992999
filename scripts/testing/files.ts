import { existsSync, globSync } from "node:fs";
import { join, relative } from "node:path";

export const root = join(import.meta.dirname, "../..");

export type Phase = "unit" | "conformance" | "examples" | "e2e";
export const phases: readonly Phase[] = ["unit", "conformance", "examples", "e2e"];

const service = /\.(postgres|redis)\.test\.ts$/;

/** Paths from the root, in order. `filters`: parts of a path, any of which must occur; none lets all through. */
export function findFiles(phase: Phase, filters: readonly string[]): string[] {
  return list(phase).filter((file) => filters.length === 0 || filters.some((filter) => file.includes(tidy(filter))));
}

function list(phase: Phase): string[] {
  if (phase === "e2e") return longestFirst(glob("e2e/**/*.test.ts"));
  if (phase === "examples") return glob("examples/*/main.ts");
  const all = glob("{packages,scripts,bench}/**/*.test.ts");
  return all.filter((file) => service.test(file) === (phase === "conformance"));
}

/** As the end of a run shows them. One of these that began last would keep everybody waiting alone. */
const LONGEST: readonly string[] = [
  "e2e/packages.test.ts",
  "e2e/viewer-names.test.ts",
  "e2e/panels-page.test.ts",
  "e2e/panels.test.ts",
  "e2e/viewer-page.test.ts",
  "e2e/up.test.ts",
  "e2e/bare-clone.test.ts",
  "e2e/approve.test.ts",
  "e2e/account.test.ts",
];

const longestFirst = (files: readonly string[]): string[] => [
  ...LONGEST.filter((file) => files.includes(file)),
  ...files.filter((file) => !LONGEST.includes(file)),
];

/** Whether a test measures times, and must have the machine to itself. */
export const runsAlone = (file: string): boolean => file.endsWith(".alone.test.ts");

/** Of the named folders, those with a TypeScript or JavaScript file: tools refuse an empty one. */
export function foldersWithSources(folders: readonly string[]): string[] {
  return folders.filter((folder) => existsSync(join(root, folder)) && glob(`${folder}/**/*.{ts,tsx,mjs}`).length > 0);
}

function glob(pattern: string): string[] {
  const skip = (name: string) => /(^|\/)(node_modules|dist)$/.test(name);
  return globSync(pattern, { cwd: root, exclude: skip }).sort();
}

function tidy(filter: string): string {
  return relative(root, join(root, filter));
}
