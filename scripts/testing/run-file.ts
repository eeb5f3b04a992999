import { join } from "node:path";
import { run } from "node:test";
import { createFileRecord, type FileResult } from "./file-record.ts";
import { root } from "./files.ts";
import type { PhaseLimits } from "./limits.ts";

const guard = join(import.meta.dirname, "end-with-runner.mjs");

/**
 * Runs one test file in a process of its own. One `run()` a file, because node:test bounds a test and not a file: one
 * that leaves something open would hold up the run for ever.
 */
export async function runFile(file: string, limits: PhaseLimits, signal: AbortSignal): Promise<FileResult> {
  const path = join(root, file);
  const record = createFileRecord(file, path);
  const events = run({
    files: [path],
    cwd: root,
    isolation: "process",
    execArgv: ["--import", guard],
    timeout: limits.testTimeoutMs,
    signal: AbortSignal.any([signal, AbortSignal.timeout(limits.fileTimeoutMs)]),
  });
  for await (const event of events) record.take(event);
  return record.result();
}
