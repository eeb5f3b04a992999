import { constants } from "node:fs";
import { link, mkdir, open, rename, rmdir, unlink } from "node:fs/promises";
import { Problem } from "@backplane/kit/problems";

/** All changes to the file system, so that tests can fail or stop at each step. Symbolic links are never followed. */
export type Disk = {
  /** One level, private to its owner; may exist already. */
  makeFolder(path: string): Promise<void>;
  /** Writes a new file and flushes it. */
  writeFile(path: string, text: string): Promise<void>;
  /** Afterwards what was written to the file survives a power cut. */
  flushFile(path: string): Promise<void>;
  /** Gives a file a second name; fails if that exists. */
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Must be empty. */
  removeFolder(path: string): Promise<void>;
  /** Afterwards created, renamed and deleted names in the folder survive a power cut. */
  flushFolder(path: string): Promise<void>;
};

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Some systems cannot open or flush a folder. */
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

export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : undefined;
}

export const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");

const NO_ROOM = ["ENOSPC", "EDQUOT", "EFBIG"];
const SENTENCES: Readonly<Record<string, string>> = {
  EACCES:
    "The viewer has no permission to write in the project's screenshots/sp/. Change the permissions, then try again.",
  EPERM:
    "The system does not allow writing in the project's screenshots/sp/. The folder must be on a disk that supports hard links.",
  ENOTSUP: "The disk does not support hard links. Move the project to another disk.",
  EOPNOTSUPP: "The disk does not support hard links. Move the project to another disk.",
  EMLINK: "The disk allows no more links to this file.",
  EXDEV: "The folder and its contents are on different disks.",
  EROFS: "The disk is read-only.",
  ELOOP: "A symbolic link is in the way; links are not followed.",
  ENOTDIR: "A file is in the place of the folder. Move it away.",
  ENOENT: "The folder was moved or removed. Start the viewer again.",
  ENAMETOOLONG: "The path of the project is too long. Move the project to a shorter path.",
  EIO: "The disk reported an error.",
};

/** Turns errors of the file system into problems for the caller. Other errors stay as they are. */
export function diskProblem(error: unknown): unknown {
  const code = systemCode(error);
  if (error instanceof Problem || code === undefined) return error;
  if (NO_ROOM.includes(code)) {
    return new Problem("disk-full", { detail: "The disk is full. Free some space, then try again.", cause: error });
  }
  const detail = SENTENCES[code];
  return detail === undefined ? error : new Problem("folder-refused", { detail, cause: error });
}
