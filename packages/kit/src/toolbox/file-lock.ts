import { DatabaseSync } from "node:sqlite";

const SQLITE_BUSY = 5;

export type FileLock = {
  /** False while another process, or another lock of this one, holds it. */
  tryTake(): boolean;
  release(): void;
};

/**
 * Only one process at a time, and only once in it. Node has no file locks, but SQLite uses those of the operating system
 * on every platform. They end with their process, so a lock can never be stale. The file stays empty.
 */
export function openFileLock(path: string): FileLock {
  const database = new DatabaseSync(path, { timeout: 0 });
  return {
    tryTake() {
      try {
        // Without a journal nothing is written, so locking also works on a full disk.
        database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
        return true;
      } catch (error) {
        if ((error as { errcode?: unknown }).errcode === SQLITE_BUSY) return false;
        throw error;
      }
    },
    release: () => database.close(),
  };
}
