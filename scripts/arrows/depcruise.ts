import { join } from "node:path";

const preload = join(import.meta.dirname, "swc-using.mjs");
const program = join(import.meta.dirname, "../../node_modules/.bin/depcruise");

/** Arguments for `node` that run dependency-cruiser with this project's rules. */
export function depcruiseArgs(...args: readonly string[]): string[] {
  return ["--import", preload, program, "--config", ".dependency-cruiser.mjs", ...args];
}
