import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keep } from "../services/kept.ts";

/**
 * A temporary folder for everything this run starts, removed at its end, also when the run is killed: a killed browser
 * leaves its profile behind.
 */
export function useScratchFolder(): AsyncDisposable {
  const folder = mkdtempSync(join(tmpdir(), "backplane-test-"));
  // PostgreSQL runs as another user and has its folder in here.
  chmodSync(folder, 0o755);
  const kept = keep({ command: "", args: [], folder, endSignal: "SIGTERM" });
  process.env.TMPDIR = folder;
  return { [Symbol.asyncDispose]: () => kept.close() };
}
