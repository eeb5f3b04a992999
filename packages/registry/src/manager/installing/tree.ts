import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { ArchiveFile } from "../../archives/archive.ts";
import { ifExists, systemCode } from "../faults.ts";
import type { Disk } from "./disk.ts";
import { onDisk } from "./layout.ts";

/** Paths are relative to the root, with slashes. Symbolic links are not followed. */
export type FoundFile = { path: string; kind: "file" | "link" | "other" };

const READ_BYTES = 1024 * 1024;

export const exists = async (path: string): Promise<boolean> => (await ifExists(lstat(path))) !== undefined;

/** All files in a folder, by path; if it is a file, the file itself; empty if it does not exist. */
export async function listTree(root: string, path: string): Promise<FoundFile[]> {
  const stats = await ifExists(lstat(onDisk(root, path)));
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return [{ path, kind: kindOf(stats) }];
  const found: FoundFile[] = [];
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(onDisk(root, folder), { withFileTypes: true })) {
      const inside = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(inside);
      else found.push({ path: inside, kind: kindOf(entry) });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

type Kinds = { isFile(): boolean; isSymbolicLink(): boolean };

const kindOf = (entry: Kinds): FoundFile["kind"] =>
  entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other";

/** Whether the file has this content. False if it is not a file or vanishes. */
export async function hasBytes(root: string, { path, kind }: FoundFile, expected: ArchiveFile): Promise<boolean> {
  if (kind !== "file") return false;
  const file = onDisk(root, path);
  const stats = await ifExists(lstat(file));
  if (!stats?.isFile() || stats.size !== expected.size) return false;
  if (stats.size <= READ_BYTES) return hash("sha256", await readFile(file), "hex") === expected.sha256;
  const running = createHash("sha256");
  for await (const bytes of createReadStream(file, { highWaterMark: READ_BYTES })) running.update(bytes as Buffer);
  return running.digest("hex") === expected.sha256;
}

/** Removes a file or folder. Links are removed, never their targets. */
export async function removeTree(disk: Disk, path: string): Promise<void> {
  const stats = await ifExists(lstat(path));
  if (stats === undefined) return;
  if (!stats.isDirectory()) return disk.unlink(path);
  for (const name of await readdir(path)) await removeTree(disk, join(path, name));
  await disk.removeFolder(path);
}

/** Makes every name below it survive a power cut. */
export async function flushTree(disk: Disk, path: string): Promise<void> {
  const stats = await ifExists(lstat(path));
  if (!stats?.isDirectory()) return;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await flushTree(disk, join(path, entry.name));
  }
  await disk.flushFolder(path);
}

/** Creates every missing level. */
export async function makeFolders(disk: Disk, base: string, path: string): Promise<void> {
  let folder = base;
  for (const part of path.split("/")) {
    folder = join(folder, part);
    const stats = await ifExists(lstat(folder));
    if (stats === undefined) await disk.makeFolder(folder);
  }
}

/** The file system has no hard links, or the file belongs to somebody else. */
const NO_LINKS = new Set(["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV", "EINVAL"]);

/**
 * A hard link, so that a program that has the file open keeps writing to the kept file; a copy if there are no hard
 * links.
 */
export async function carryFile(disk: Disk, from: string, to: string): Promise<void> {
  const stats = await lstat(from);
  if (stats.isSymbolicLink()) {
    return disk.makeLink(await readlink(from), to);
  }
  try {
    await disk.link(from, to);
  } catch (error) {
    if (!stats.isFile() || !NO_LINKS.has(systemCode(error) ?? "")) throw error;
    await disk.copyFile(from, to, stats);
  }
}
