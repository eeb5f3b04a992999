import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The machine's own Node, if it is 20 or 21, which have no WebSocket. */
export function findOlderNode(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((path) => !path.includes("node_modules"));
  const programs = folders.map((path) => join(path, "node")).filter((path) => existsSync(path));
  return programs
    .map((path) => realpathSync(path))
    .find((path) => /^v2[01]\./.test(execFileSync(path, ["--version"], { encoding: "utf8" })));
}
