import { join } from "node:path";
import { run } from "node:test";
import { root } from "./files.ts";
import { createGroupRecord, type FileResult } from "./group-record.ts";
import type { PhaseLimits } from "./limits.ts";

const guard = join(import.meta.dirname, "end-with-runner.mjs");
const group = join(import.meta.dirname, "group.ts");

/**
 * Runs test files one after another in one process of their own. One `run()` per group, because node:test bounds a test
 * and not a process: one that leaves something open would hold up the run for ever.
 */
export async function runGroup(
  files: readonly string[],
  limits: PhaseLimits,
  signal: AbortSignal,
): Promise<FileResult[]> {
  const record = createGroupRecord(files, group);
  const events = run({
    files: [group],
    argv: [...files],
    cwd: root,
    isolation: "process",
    execArgv: ["--import", guard],
    timeout: limits.testTimeoutMs,
    signal: AbortSignal.any([signal, AbortSignal.timeout(limits.processTimeoutMs)]),
  });
  for await (const event of events) record.take(event);
  return record.results();
}
