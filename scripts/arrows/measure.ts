import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

export type FileImports = { source: string; imports: string[] };
export type Cruise = {
  /** Every file of the cruised folders with the files it imports. */
  files: FileImports[];
  /** Imports that the rules forbid, in words. */
  forbidden: string[];
};

const maxOutputBytes = 256 * 1024 * 1024;
const preload = join(import.meta.dirname, "read-imports.mjs");
const program = join(import.meta.dirname, "../../node_modules/.bin/depcruise");

/** What dependency-cruiser measures in these folders, by this project's rules. */
export async function measureImports(root: string, folders: readonly string[]): Promise<Cruise> {
  const rules = ["--config", ".dependency-cruiser.mjs", "--output-type", "json"];
  const args = ["--import", preload, program, ...rules, ...folders];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: maxOutputBytes }).catch(
    // It ends with a code when an import is forbidden.
    (error: Error & { stdout?: string }) => {
      if (!error.stdout?.startsWith("{")) throw error;
      return { stdout: error.stdout };
    },
  );
  const cruise: {
    modules: { source: string; dependencies: { resolved: string }[] }[];
    summary: { violations: { from: string; to: string; rule: { name: string; severity: string } }[] };
  } = JSON.parse(stdout);
  return {
    files: cruise.modules.map(({ source, dependencies }) => ({
      source,
      imports: dependencies.map(({ resolved }) => resolved),
    })),
    forbidden: cruise.summary.violations
      .filter(({ rule }) => rule.severity === "error")
      .map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`),
  };
}
