import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder, and missing folders above it, for its owner only. One by one: Node's recursive `mkdir` never returns for
 * folders that cannot be made, such as those below /proc.
 */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(path);
  if (!statSync(above, { throwIfNoEntry: false })) makePrivateFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/**
 * Makes an empty file for its owner only, unless it is there: everybody may read what SQLite makes by itself. A file that is
 * there is not even opened, because closing it would end the locks that SQLite holds on it.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
