import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { availableMemory } from "node:process";
import { keep } from "../services/kept.ts";
import { scratchBytes } from "./limits.ts";

/** Where Linux keeps files in memory: nothing waits for a disk there. No test cuts the machine's power. */
const MEMORY = "/dev/shm";

/**
 * A temporary folder for everything this run starts, removed at its end, also when the run is killed: a killed browser
 * leaves its profile behind.
 */
export function useScratchFolder(): AsyncDisposable {
  const folder = newFolderIn(MEMORY) ?? mkdtempSync(join(tmpdir(), "backplane-test-"));
  // PostgreSQL runs as another user and has its folder in here.
  chmodSync(folder, 0o755);
  const kept = keep({ command: "", args: [], folder, endSignal: "SIGTERM" });
  process.env.TMPDIR = folder;
  process.env.TEST_CPU_LOG = join(folder, "cpu-seconds");
  return { [Symbol.asyncDispose]: () => kept.close() };
}

/** Undefined unless there is room for a run, and programs may be started from there. */
function newFolderIn(parent: string): string | undefined {
  if (availableMemory() < 2 * scratchBytes) return undefined;
  try {
    const { bavail, bsize } = statfsSync(parent);
    if (bavail * bsize < scratchBytes) return undefined;
    const folder = mkdtempSync(join(parent, "backplane-test-"));
    if (runsPrograms(folder)) return folder;
    rmSync(folder, { recursive: true });
  } catch {
    // No such folder on this machine, or not for us.
  }
  return undefined;
}

function runsPrograms(folder: string): boolean {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
