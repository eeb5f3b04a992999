import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type FileLock, openFileLock } from "@backplane/kit/file-lock";
import { InstallationFault } from "../faults.ts";
import { type Layout, layoutOf } from "./layout.ts";

/** How long a second process waits for the first. */
export const LOCK_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 50;
const SQLITE_NOTADB = 26;

/** Only one process at a time, and only once in it. */
export async function takeLock(layout: Layout, waitMs: number): Promise<{ release(): void }> {
  const lock = openLock(layout);
  try {
    for (let waitedMs = 0; !lock.tryTake(); waitedMs += LOOK_EVERY_MS) {
      if (waitedMs >= waitMs) throw await busy(layout);
      await sleep(LOOK_EVERY_MS);
    }
    // For the error message of a process that gave up waiting.
    await writeFile(layout.holder, `${JSON.stringify({ pid: process.pid })}\n`).catch(() => undefined);
  } catch (error) {
    lock.release();
    throw explainLockError(layout, error);
  }
  return lock;
}

function openLock(layout: Layout): FileLock {
  try {
    return openFileLock(layout.lock);
  } catch (error) {
    throw explainLockError(layout, error);
  }
}

/** Explains an error of SQLite. */
function explainLockError({ lock, root }: Layout, error: unknown): unknown {
  if (!(error instanceof Error) || !("errcode" in error)) return error;
  const details = { path: lock, sqlite: error.errcode };
  if (error.errcode === SQLITE_NOTADB) {
    const message = `${lock} is not a lock file. If no other process is working on ${root}, delete it, then try again.`;
    return new InstallationFault("disk-fault", message, details, { cause: error });
  }
  const message = `${root} cannot be opened: ${lock} cannot be locked (${error.message}). Check the permissions and the disk, then try again.`;
  return new InstallationFault("not-permitted", message, details, { cause: error });
}

async function busy(layout: Layout): Promise<InstallationFault> {
  const pid = await holderOf(layout);
  const who = pid === undefined ? "Another process" : `Process ${pid}`;
  const message = `${who} is working on the packages in ${layout.root}. Wait until it is done, then try again.`;
  return new InstallationFault("busy", message, pid === undefined ? {} : { pid });
}

async function holderOf(layout: Layout): Promise<number | undefined> {
  try {
    const { pid } = JSON.parse(await readFile(layout.holder, "utf8")) as { pid?: unknown };
    return Number.isSafeInteger(pid) ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

/** Only one process at a time runs `act` in this folder. `name` is the name of the lock. */
export async function exclusively<Result>(
  root: string,
  name: string,
  waitMs: number,
  act: () => Promise<Result>,
): Promise<Result> {
  const layout = layoutOf(root);
  await mkdir(layout.own, { recursive: true });
  const own = { lock: join(layout.own, `${name}-lock`), holder: join(layout.own, `${name}-lock-holder.json`) };
  const lock = await takeLock({ ...layout, ...own }, waitMs);
  try {
    return await act();
  } finally {
    lock.release();
  }
}
