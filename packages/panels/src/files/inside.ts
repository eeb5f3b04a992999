import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "@backplane/kit/problems";
import { nameRefused } from "./file-path.ts";

/** Errors of the file system that mean "not found". */
const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

export async function lstatIfExists(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const LINK = "It is, or lies behind, a symbolic link, which is not followed.";

/**
 * Looks at each part of the path, so that no link is followed, not even one that stays inside. Undefined: not found. The
 * project's folder itself may be a link: only the server's administrator can have created it.
 */
export async function lstatInside(folder: string, parts: readonly string[]): Promise<Stats | undefined> {
  let path = folder;
  let stats: Stats | undefined;
  for (const [index, part] of parts.entries()) {
    path = join(path, part);
    stats = await lstatIfExists(path);
    if (!stats) return undefined;
    if (stats.isSymbolicLink()) throw nameRefused(LINK);
    if (index < parts.length - 1 && !stats.isDirectory()) return undefined;
  }
  return stats;
}

/** How often to try again when a file is replaced while it is being opened. */
const MAX_OPENINGS = 20;

/** Opens a regular file for reading. Undefined: there is none. Pipes and devices do not count, and never block. */
export async function openInside(folder: string, parts: readonly string[]): Promise<FileHandle | undefined> {
  for (let opening = 0; opening < MAX_OPENINGS; opening += 1) {
    const before = await lstatInside(folder, parts);
    if (!before?.isFile()) return undefined;
    const handle = await openPlainly(join(folder, ...parts));
    if (!handle) continue;
    const isInside = await Promise.all([handle.stat(), lstatInside(folder, parts)]).then(
      // A folder above it may have become a link meanwhile: the opened file must be the one that was found without links.
      ([opened, after]) => opened.isFile() && (isSameFile(opened, before) || isSameFile(opened, after)),
      async (error: unknown) => {
        await handle.close();
        throw error;
      },
    );
    if (isInside) return handle;
    await handle.close();
  }
  throw new Problem("file-changed", { detail: "The file keeps being replaced. Try again." });
}

async function openPlainly(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if ((error as NodeJS.ErrnoException).code === "ELOOP") throw nameRefused(LINK);
    throw error;
  }
}

const isSameFile = (a: Stats, b: Stats | undefined): boolean => b !== undefined && a.ino === b.ino && a.dev === b.dev;
