import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isSystemError } from "./file-faults.ts";

const OTHERS_BITS = 0o077;
const hasModes = process.platform !== "win32";

/** Makes the folder, or tightens it: what it holds is for its owner only. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (hasModes && ((await stat(path)).mode & OTHERS_BITS) !== 0) await chmod(path, 0o700);
}

/** Undefined when there is no such file. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** The file holds the old text or the new one, whatever is killed when. Its callers hold the lock. */
export async function replaceText(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await removeTemporaries(path);
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Whether there was one. Its callers hold the lock. */
export async function removeFile(path: string): Promise<boolean> {
  await removeTemporaries(path);
  try {
    await unlink(path);
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return false;
    throw error;
  }
  await syncFolder(dirname(path));
  return true;
}

/** A process that was killed while it wrote leaves a copy of the tokens behind. */
async function removeTemporaries(path: string): Promise<void> {
  const names = await readdir(dirname(path));
  const isLeftOver = (name: string) => name.startsWith(`${basename(path)}.`) && name.endsWith(".tmp");
  for (const name of names.filter(isLeftOver)) await rm(join(dirname(path), name), { force: true });
}

/** Until then a rename may be undone by a power cut. */
async function syncFolder(path: string): Promise<void> {
  if (!hasModes) return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
