import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder, and those above it that are missing, for its owner only. Part by part: Node's own recursive way never
 * returns where a folder says that it is not there, as those of /proc do.
 */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const above = dirname(path);
  if (!statSync(above, { throwIfNoEntry: false })) makePrivateFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Somebody else was as quick.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
