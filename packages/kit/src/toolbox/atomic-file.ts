import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

const READABLE_BY_ALL = 0o666;

/**
 * Replaces a file: after a crash it has its old content or its new one, never a part of it. The content is on the disk
 * when this returns; a power cut may still undo the rename, unless `syncFolder` is called too.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  mode: number = READABLE_BY_ALL,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}-${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes renames and removals in a folder survive a power cut. Windows has nothing like it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
