import { constants } from "node:fs";
import { copyFile, link, mkdir, open, rename, rmdir, symlink, unlink, utimes } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { syncFolder } from "@backplane/kit/atomic-file";
import { extractArchive } from "../../archives/extract.ts";
import { systemCode } from "../faults.ts";

/** Everything that changes the file system, so that tests can stop or fail at each step. Links are never followed. */
export type Disk = {
  /** One level; it may exist. */
  makeFolder(path: string): Promise<void>;
  /** Writes and flushes the whole file. */
  writeFile(path: string, bytes: Uint8Array): Promise<void>;
  /** A second name for the same file. */
  link(from: string, to: string): Promise<void>;
  /** Copies to an unused name, with times and mode, and flushes. */
  copyFile(from: string, to: string, times: { atime: Date; mtime: Date }): Promise<void>;
  makeLink(target: string, path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /** Makes created, renamed and removed names in this folder survive a power cut. */
  flushFolder(path: string): Promise<void>;
  extract: typeof extractArchive;
};

const isWindows = process.platform === "win32";

/** On Windows, scanners and indexers briefly lock files, which then cannot be renamed. */
const RENAME_PAUSES_MS = [10, 50, 100, 250, 500];

async function renamePatiently(from: string, to: string): Promise<void> {
  for (const pauseMs of RENAME_PAUSES_MS) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!["EPERM", "EACCES", "EBUSY"].includes(systemCode(error) ?? "")) throw error;
      await sleep(pauseMs);
    }
  }
  await rename(from, to);
}

export const realDisk: Disk = {
  async makeFolder(path) {
    try {
      await mkdir(path);
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  },
  async writeFile(path, bytes) {
    const file = await open(path, "w", 0o644);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  link,
  async copyFile(from, to, { atime, mtime }) {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await utimes(to, atime, mtime);
    const file = await open(to, isWindows ? "r+" : "r");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  },
  makeLink: symlink,
  rename: isWindows ? renamePatiently : rename,
  unlink,
  removeFolder: rmdir,
  flushFolder: syncFolder,
  extract: extractArchive,
};
