import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type FileList, PANELS_LIMITS, type ProjectFile } from "@backplane/contract/panels";
import { checkPath, isListed } from "./file-path.ts";
import { lstatIfThere } from "./inside.ts";

/** Names that are looked at for one listing: a project of nothing but empty folders must end too. */
const MAX_NAMES_SEEN = 100_000;

type Limits = { maxFilesListed: number; maxNamesSeen: number };
const LIMITS: Limits = { maxFilesListed: PANELS_LIMITS.maxFilesListed, maxNamesSeen: MAX_NAMES_SEEN };

/** Every file that can be asked for, in the order of their paths; the first ones when there are more than a list may have. */
export async function listFiles(folder: string, limits: Limits = LIMITS): Promise<FileList> {
  const files: ProjectFile[] = [];
  let seen = 0;

  async function walk(at: string): Promise<boolean> {
    for (const entry of await namesIn(join(folder, at))) {
      seen += 1;
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (!isListed(entry.name) || !checkPath(path).ok) continue;
      if (files.length === limits.maxFilesListed || seen > limits.maxNamesSeen) return false;
      if (entry.isDirectory() && !(await walk(path))) return false;
      if (!entry.isFile()) continue;
      const stats = await lstatIfThere(join(folder, path));
      if (stats?.isFile()) files.push({ path, size: stats.size, modifiedAt: stats.mtime.toISOString() });
    }
    return true;
  }

  const isWhole = await walk("");
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), truncated: !isWhole };
}

async function namesIn(path: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // Gone meanwhile, never made, or not for us to read.
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
