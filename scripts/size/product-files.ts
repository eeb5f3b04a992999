import { execFileSync } from "node:child_process";

const IS_CODE = /\.(ts|tsx|css|js|mjs)$/;
const IS_TEST = /\.(test|suite|property|bench)\.tsx?$|\/(testing|fixtures)\//;

/** What is shipped or run: the tracked sources of all packages without their tests. */
export function productFiles(root: string): string[] {
  const listed = execFileSync("git", ["ls-files", "packages"], { cwd: root, encoding: "utf8" });
  return listed.split("\n").filter((path) => IS_CODE.test(path) && !IS_TEST.test(path));
}
