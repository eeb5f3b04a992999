import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./testing/files.ts";

/** `how`: the command that runs it, and its arguments. */
export type Example = { name: string; file: string; how: string };

const HOW = /^\/\/ (npm run example ([\w/-]+)[^:]*):/;

/** The programs in examples/ whose first line says how to run them. */
export function findExamples(): Example[] {
  const files = globSync("examples/*/*.ts", { cwd: root }).sort();
  return files.flatMap((path) => {
    const file = join(root, path);
    const [, how = "", name] = HOW.exec(readFileSync(file, "utf8")) ?? [];
    return name === undefined ? [] : [{ name, file, how }];
  });
}
