import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { PasteFileName } from "../../services.ts";
import { type Disk, isMissing, systemCode } from "./disk.ts";
import { BOTH_FILES, nameOfFile } from "./file-names.ts";
import type { PastesFolder } from "./folder.ts";
import type { Entry } from "./record.ts";

export type Pair = { readonly [File in PasteFileName]: string };

export const pairAt = (folder: PastesFolder, record: Entry, name = record.name): Pair => ({
  optimized: join(folder.pairs, nameOfFile(record, "optimized", name)),
  original: join(folder.pairs, nameOfFile(record, "original", name)),
});

export type FileId = { inode: string; bytes: number };

/** Identifies a plain file. Undefined for a link, a folder, or nothing. */
export async function fileAt(path: string): Promise<FileId | undefined> {
  const stats = await statsAt(path);
  return stats?.isFile() ? { inode: String(stats.ino), bytes: Number(stats.size) } : undefined;
}

/** Whether the name exists, even as a dangling link. */
export const exists = async (path: string): Promise<boolean> => (await statsAt(path)) !== undefined;

async function statsAt(path: string) {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Gives both files a second name, or neither. "taken": one of the names exists, and nothing was changed. A file that the
 * user deleted is skipped; "missing": both are deleted.
 */
export async function linkPair(disk: Disk, from: Pair, to: Pair): Promise<"linked" | "taken" | "missing"> {
  const linked: string[] = [];
  for (const file of BOTH_FILES) {
    if (!(await fileAt(from[file]))) continue;
    try {
      await disk.link(from[file], to[file]);
      linked.push(to[file]);
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      for (const path of linked) await disk.unlink(path);
      return "taken";
    }
  }
  return linked.length === 0 ? "missing" : "linked";
}

/** Whether `path` and `other` are two names of one file. */
export async function isSameFile(path: string, other: string): Promise<boolean> {
  const [file, same] = await Promise.all([fileAt(path), fileAt(other)]);
  return file !== undefined && file.inode === same?.inode;
}

export async function unlinkIfExists(disk: Disk, path: string): Promise<void> {
  try {
    await disk.unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
