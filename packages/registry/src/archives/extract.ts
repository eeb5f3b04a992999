import { type FileHandle, lstat, mkdir, open, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "@backplane/kit/atomic-file";
import { type ArchiveFile, type ArchiveRefusal, orRefusal, refuse } from "./archive.ts";
import { isExecutable } from "./check-entry.ts";
import { type ReadOptions, type Receiver, readArchive } from "./read-archive.ts";
import type { ListedEntry } from "./zip-records.ts";

type ExtractOptions = ReadOptions & {
  /** Called after each file, with the bytes written so far and in total. */
  onFile?(path: string, done: number, total: number): void;
};

/**
 * Writes the files of the installed folders below `target`, with the same checks as `inspectArchive`. They are on disk
 * when this returns. Existing files stay; one that is in the way is an error. When the archive is refused or anything
 * fails, everything that was written is removed again.
 */
export function extractArchive(
  file: string,
  target: string,
  options: ExtractOptions = {},
): Promise<{ files: ArchiveFile[] } | { refusal: ArchiveRefusal }> {
  return orRefusal(async () => {
    const opened = openTarget(target, options.onFile);
    try {
      const { archive } = await readArchive(file, options, opened);
      await opened.settle();
      return { files: archive.files };
    } catch (error) {
      await opened.undo();
      throw error;
    }
  });
}

const FILE_MODE = 0o644;
const PROGRAM_MODE = 0o755;
/** Small files spend most of their time waiting for the disk, so several wait at once. */
const MAX_WAITING = 16;

type Target = Receiver & {
  /** Resolves when everything is on disk. */
  settle(): Promise<void>;
  /** Removes what was written, and nothing else. */
  undo(): Promise<void>;
};

/** Writes files below a folder, and never outside of it. */
function openTarget(target: string, onFile?: (path: string, done: number, total: number) => void): Target {
  const madeFiles: string[] = [];
  const madeFolders: string[] = [];
  const knownFolders = new Set<string>();
  const waiting = new Set<Promise<void>>();
  const faults: unknown[] = [];
  let current: { handle: FileHandle; entry: ListedEntry } | undefined;
  let done = 0;
  let total = 0;

  /** Makes sure that every folder on the way is a real one, not a link. */
  const enter = async (relative: string): Promise<string> => {
    if (relative === ".") return target;
    const folder = join(target, relative);
    if (knownFolders.has(relative)) return folder;
    await enter(dirname(relative));
    if (await makeFolder(folder)) madeFolders.push(folder);
    else if (!(await lstat(folder)).isDirectory()) {
      refuse("path-outside", "There is a link or a file where a folder must be created. Move it away.", relative);
    }
    knownFolders.add(relative);
    return folder;
  };

  const finish = async (handle: FileHandle): Promise<void> => {
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  };

  return {
    async start(installSize) {
      total = installSize;
      if (await mkdir(target, { recursive: true })) madeFolders.push(target);
    },
    async open(entry) {
      await enter(dirname(entry.path));
      const file = join(target, entry.path);
      const mode = isExecutable(entry) ? PROGRAM_MODE : FILE_MODE;
      const handle = await open(file, "wx", mode);
      madeFiles.push(file);
      current = { handle, entry };
      await handle.chmod(mode);
    },
    async write(piece) {
      await current?.handle.writeFile(piece);
    },
    async close() {
      if (!current) return;
      const { handle, entry } = current;
      current = undefined;
      const wait = finish(handle)
        .catch((error: unknown) => void faults.push(error))
        .finally(() => waiting.delete(wait));
      waiting.add(wait);
      if (waiting.size >= MAX_WAITING) await Promise.race(waiting);
      done += entry.size;
      onFile?.(entry.path, done, total);
    },
    async settle() {
      await Promise.all(waiting);
      if (faults.length > 0) throw faults[0];
      for (const folder of new Set([...madeFolders, target])) await syncFolder(folder);
    },
    async undo() {
      await Promise.all(waiting);
      await current?.handle.close();
      // Failing to clean up must not hide the first error; a folder with somebody else's file stays.
      for (const file of madeFiles) await unlink(file).catch(() => {});
      for (const folder of madeFolders.reverse()) await rmdir(folder).catch(() => {});
    },
  };
}

async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
