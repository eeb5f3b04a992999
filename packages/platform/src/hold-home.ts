import { join } from "node:path";
import { type FileLock, openFileLock } from "@backplane/kit/file-lock";
import { makePrivateFile, makePrivateFolder } from "@backplane/kit/folder";
import { StartFault } from "@backplane/kit/process";

/** Held by the platform that uses the home folder. */
export const homeLockPath = (home: string): string => join(home, "platform.lock");

/**
 * Only one platform uses a SQLite database: it answers much from memory, and would not hear of what another one does.
 * The lock ends with this process.
 */
export function holdHome(home: string): FileLock {
  makePrivateFolder(home);
  const path = homeLockPath(home);
  makePrivateFile(path);
  const lock = openFileLock(path);
  if (lock.tryTake()) return lock;
  lock.release();
  throw new StartFault(
    `Another platform uses ${home}. Stop it, or set BACKPLANE_HOME to another folder. Several platforms need DATABASE_URL.`,
  );
}
