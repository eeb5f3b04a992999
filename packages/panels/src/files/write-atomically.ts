import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makePrivateFolder } from "@backplane/kit/folder";
import { nameRefused } from "./file-path.ts";
import { lstatIfExists, lstatInside } from "./inside.ts";

/** Hidden, so that no valid path leads to it. */
const UNFINISHED = /^\.backplane-[0-9a-f-]{36}\.part$/;
const UNFINISHED_LIFE_MS = 3_600_000;

/** Afterwards the file has all its bytes or its old content, even after a power cut. */
export async function writeAtomically(folder: string, parts: readonly string[], bytes: Uint8Array): Promise<void> {
  const target = join(folder, ...parts);
  const parent = dirname(target);
  await makeFolders(folder, parts.slice(0, -1));
  const before = await lstatInside(folder, parts);
  if (before && !before.isFile()) throw nameRefused("There is a folder with this name.");
  const part = join(parent, `.backplane-${randomUUID()}.part`);
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    await using handle = await open(part, flags, before ? before.mode & 0o777 : 0o600);
    await handle.writeFile(bytes);
    await handle.sync();
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true });
    if (["ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) {
      throw nameRefused("There is a folder with this name, or a file in place of one of its folders.");
    }
    throw error;
  }
  await syncFolder(parent);
  await sweep(parent);
}

async function makeFolders(folder: string, parts: readonly string[]): Promise<void> {
  makePrivateFolder(folder);
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const way = parts.slice(0, depth);
    const stats = await lstatInside(folder, way);
    if (stats?.isDirectory()) continue;
    if (stats) throw nameRefused(`${way.join("/")} is a file, not a folder.`);
    await mkdir(join(folder, ...way), { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
      // Another request created it at the same time; check what it created.
      if (error.code !== "EEXIST" || !(await lstatInside(folder, way))?.isDirectory()) throw error;
    });
    await syncFolder(dirname(join(folder, ...way)));
  }
}

export async function syncFolder(path: string): Promise<void> {
  try {
    await using handle = await open(path, constants.O_RDONLY);
    await handle.sync();
  } catch (error) {
    // Some systems cannot open or sync a folder.
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Removes what crashed processes have left behind. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!UNFINISHED.test(name)) continue;
    const stats = await lstatIfExists(join(folder, name));
    if (stats && Date.now() - stats.mtimeMs > UNFINISHED_LIFE_MS) await rm(join(folder, name), { force: true });
  }
}
