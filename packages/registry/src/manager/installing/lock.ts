import { readFile, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { InstallationFault } from "./faults.ts";
import type { Layout } from "./layout.ts";

/** How long a second process waits for the first. */
export const LOCK_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 50;
const SQLITE_BUSY = 5;

/**
 * One process at a time, and one opening in it. Node has no file locks of its own, SQLite takes those of the operating
 * system on every platform: they end with their process, however it ends, so that there is no stale lock to judge. The
 * file stays empty.
 */
export async function takeLock(layout: Layout, waitMs: number): Promise<{ release(): void }> {
  const database = new DatabaseSync(layout.lock);
  try {
    database.exec("PRAGMA busy_timeout = 0");
    for (let waitedMs = 0; !tryTake(database); waitedMs += LOOK_EVERY_MS) {
      if (waitedMs >= waitMs) throw await busy(layout);
      await sleep(LOOK_EVERY_MS);
    }
    // Only to name the holder to whoever waits in vain: nothing is decided by it.
    await writeFile(layout.holder, `${JSON.stringify({ pid: process.pid })}\n`);
  } catch (error) {
    database.close();
    throw error;
  }
  return { release: () => database.close() };
}

function tryTake(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
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
