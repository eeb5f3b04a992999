import { randomUUID } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { access, copyFile, link, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writePieces } from "@backplane/kit/atomic-file";
import { makePrivateFolder } from "@backplane/kit/folder";
import { Problem } from "@backplane/kit/problems";
import { systemProblem } from "@backplane/kit/system-problems";
import { type BlobStore, checkBlobKey, checkBlobPrefix, checkRange, type ListedBlob } from "./blob-store.ts";

/** Blobs are written here before they get their names; no key begins with a dot. */
const INCOMING = ".incoming";
/** Leftovers of killed processes are removed after this time; other instances may share the folder. */
const INCOMING_LIFE_MS = 60 * 60 * 1_000;

/** Blobs as files in a folder: written to a temporary file, flushed, then renamed. */
export async function openFolderStore(folder: string): Promise<BlobStore> {
  const incoming = join(folder, INCOMING);
  makePrivateFolder(incoming);
  await removeLeftovers(incoming);

  async function place(key: string, write: (path: string) => Promise<void>): Promise<void> {
    checkBlobKey(key);
    const target = join(folder, key);
    const aside = join(incoming, randomUUID());
    await asUnavailable(async () => {
      try {
        await write(aside);
        await sync(aside);
        makePrivateFolder(dirname(target));
        await rename(aside, target);
        for (let above = dirname(target); above.length >= folder.length; above = dirname(above)) await sync(above);
      } finally {
        await rm(aside, { force: true });
      }
    });
  }

  return {
    putFile: (key, file) => place(key, (path) => linkOrCopy(file, path)),
    put: (key, bytes) => place(key, (path) => writeNew(path, bytes instanceof Uint8Array ? [bytes] : bytes)),

    async read(key, range) {
      checkBlobKey(key);
      return asUnavailable(async () => {
        const file = await orMissing(open(join(folder, key)));
        if (!file) return undefined;
        try {
          const found = await file.stat();
          if (!found.isFile()) {
            await file.close();
            return undefined;
          }
          const { size } = found;
          // Given an end, the stream ends with its last byte, not one read later, when a client that has it all may be gone.
          const whole = size > 0 ? { start: 0, end: size - 1 } : undefined;
          return { size, stream: file.createReadStream(checkRange(range, size) ?? whole) };
        } catch (error) {
          await file.close();
          throw error;
        }
      });
    },

    async remove(key) {
      checkBlobKey(key);
      await asUnavailable(() => rm(join(folder, key), { force: true }));
    },

    list(prefix) {
      checkBlobPrefix(prefix);
      const above = prefix.slice(0, prefix.lastIndexOf("/") + 1);
      return listBelow(folder, above, prefix);
    },

    ping: () => asUnavailable(() => access(incoming, constants.R_OK | constants.W_OK | constants.X_OK)),
  };
}

async function* listBelow(folder: string, above: string, prefix: string): AsyncIterable<ListedBlob> {
  const entries: Dirent[] =
    (await asUnavailable(() => orMissing(readdir(join(folder, above), { withFileTypes: true })))) ?? [];
  for (const entry of entries) {
    const key = `${above}${entry.name}`;
    if (entry.name.startsWith(".") || !(key.startsWith(prefix) || prefix.startsWith(`${key}/`))) continue;
    if (entry.isDirectory()) {
      yield* listBelow(folder, `${key}/`, prefix);
    } else if (entry.isFile()) {
      // It may have been removed since it was listed.
      const found = await asUnavailable(() => orMissing(stat(join(folder, key))));
      if (found) yield { key, size: found.size, modifiedMs: Math.floor(found.mtimeMs) };
    }
  }
}

/** A hard link is free; across file systems, or without hard links, it is a copy. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}

async function writeNew(path: string, pieces: readonly Uint8Array[]): Promise<void> {
  await using handle = await open(path, "wx", 0o600);
  await writePieces(handle, pieces);
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}

async function removeLeftovers(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const found = await orMissing(stat(join(incoming, name)));
    if (found && Date.now() - found.mtimeMs > INCOMING_LIFE_MS) await rm(join(incoming, name), { force: true });
  }
}

/** Undefined if the file does not exist, or a part of its path is not a folder. */
async function orMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

async function asUnavailable<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw systemProblem(error) ?? new Problem("archives-unavailable", { cause: error });
  }
}
