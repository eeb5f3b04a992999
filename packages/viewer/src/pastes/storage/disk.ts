import { constants } from "node:fs";
import { link, mkdir, open, rename, rmdir, unlink } from "node:fs/promises";
import { systemCode } from "./disk-problem.ts";

/** Everything that changes the file system, so that a test can stop or fail at each step. Nothing follows a last link. */
export type Disk = {
  /** One level, for its owner only; it may be there. */
  makeFolder(path: string): Promise<void>;
  /** A new file, whole; on the disk when this resolves. */
  writeFile(path: string, text: string): Promise<void>;
  /** What others wrote to this file survives a power cut when this resolves. */
  flushFile(path: string): Promise<void>;
  /** A second name for the same file; fails when it is taken. */
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** An empty one. */
  removeFolder(path: string): Promise<void>;
  /** Names made, changed and removed in this folder survive a power cut when this resolves. */
  flushFolder(path: string): Promise<void>;
};

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Some systems cannot open a folder, or not write it down. */
const CANNOT_FLUSH = ["EISDIR", "EPERM", "EINVAL", "ENOTSUP"];

export const realDisk: Disk = {
  async makeFolder(path) {
    try {
      await mkdir(path, { mode: 0o700 });
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  },
  async writeFile(path, text) {
    await using file = await open(path, NEW_FILE, 0o600);
    await file.writeFile(text);
    await file.sync();
  },
  async flushFile(path) {
    await using file = await open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
    await file.sync();
  },
  link,
  rename,
  unlink,
  removeFolder: rmdir,
  async flushFolder(path) {
    try {
      await using folder = await open(path, constants.O_RDONLY);
      await folder.sync();
    } catch (error) {
      if (!CANNOT_FLUSH.includes(systemCode(error) ?? "")) throw error;
    }
  },
};
