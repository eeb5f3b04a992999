import { createHash, hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { ArchiveFile } from "../../archives/archive.ts";
import { ifThere, systemCode } from "../faults.ts";
import type { Disk } from "./disk.ts";
import { onDisk } from "./layout.ts";

/** Paths from the root, with slashes. A symbolic link is one, wherever it leads. */
export type FoundFile = { path: string; kind: "file" | "link" | "other" };

const READ_BYTES = 1024 * 1024;

export const isThere = async (path: string): Promise<boolean> => (await ifThere(lstat(path))) !== undefined;

/** All files below a folder, by path; itself, when it is no folder; nothing when it is not there. */
export async function listTree(root: string, path: string): Promise<FoundFile[]> {
  const stats = await ifThere(lstat(onDisk(root, path)));
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

/** Whether the file has these bytes. What is no file, or vanishes meanwhile, has not. */
export async function hasBytes(root: string, { path, kind }: FoundFile, expected: ArchiveFile): Promise<boolean> {
  if (kind !== "file") return false;
  const file = onDisk(root, path);
  const stats = await ifThere(lstat(file));
  if (!stats?.isFile() || stats.size !== expected.size) return false;
  if (stats.size <= READ_BYTES) return hash("sha256", await readFile(file), "hex") === expected.sha256;
  const running = createHash("sha256");
  for await (const bytes of createReadStream(file, { highWaterMark: READ_BYTES })) running.update(bytes as Buffer);
  return running.digest("hex") === expected.sha256;
}

/** Removes what has this name: links themselves, never what they lead to. */
export async function removeTree(disk: Disk, path: string): Promise<void> {
  const stats = await ifThere(lstat(path));
  if (stats === undefined) return;
  if (!stats.isDirectory()) return disk.unlink(path);
  for (const name of await readdir(path)) await removeTree(disk, join(path, name));
  await disk.removeFolder(path);
}

/** So that every name below it survives a power cut. */
export async function flushTree(disk: Disk, path: string): Promise<void> {
  const stats = await ifThere(lstat(path));
  if (!stats?.isDirectory()) return;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await flushTree(disk, join(path, entry.name));
  }
  await disk.flushFolder(path);
}

/** Each level of it that is not there yet. */
export async function makeFolders(disk: Disk, base: string, path: string): Promise<void> {
  let folder = base;
  for (const part of path.split("/")) {
    folder = join(folder, part);
    const stats = await ifThere(lstat(folder));
    if (stats === undefined) await disk.makeFolder(folder);
  }
}

/** File systems without a second name for a file, and files of other people's. */
const NO_LINKS = new Set(["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV", "EINVAL"]);

/**
 * The same file under a second name, so that a program which has it open goes on writing to what is kept; a copy where
 * there is no such thing.
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
