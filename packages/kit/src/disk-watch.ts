import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "./log.ts";
import { systemProblem } from "./system-problems.ts";

/** Enough that a disk which passes can also take what a sign-in writes. */
const TRIAL = Buffer.alloc(64 * 1024);
/** Nobody may be looking at /ready: this finds an outage for the log. */
const CHECK_EVERY_MS = 10_000;

type DiskWatch = {
  /** Resolves when every folder takes a file; rejects with the Problem. */
  check(): Promise<void>;
  close(): void;
};

/** Tries to write to the folders, every few seconds and when asked, and logs when that begins and ends to fail. */
export function watchDisk({ folders, log }: { folders: readonly string[]; log: Log }): DiskWatch {
  let trying: Promise<void> | undefined;
  let isFailing = false;

  async function tryAll(): Promise<void> {
    try {
      await Promise.all(folders.map(tryFolder));
      if (isFailing) log.info("the disk can be used again");
      isFailing = false;
    } catch (error) {
      isFailing = true;
      const problem = systemProblem(error) ?? error;
      log.error({ err: problem }, "the disk cannot be used");
      throw problem;
    } finally {
      trying = undefined;
    }
  }
  // A disk that hangs is tried once, not again at every call.
  const check = () => {
    trying ??= tryAll();
    return trying;
  };
  const timer = setInterval(() => void check().catch(() => {}), CHECK_EVERY_MS).unref();
  return { check, close: () => clearInterval(timer) };
}

async function tryFolder(folder: string): Promise<void> {
  const file = join(folder, ".trial");
  try {
    await writeFile(file, TRIAL, { mode: 0o600 });
  } finally {
    await rm(file, { force: true });
  }
}
