import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ARCHIVE_LIMITS, INSTALLED_FOLDERS } from "./archive.ts";
import { METADATA_PATH } from "./check-entry.ts";
import { checkName } from "./names.ts";
import { refuse } from "./refusal.ts";
import { UNIX_MODE } from "./zip-records.ts";

export type SourceFile = { path: string; file: string; size: number; isExecutable: boolean };

/** What systems and tools leave behind, that is nobody's work. */
const LEFT_BEHIND = new Set([".DS_Store", "Thumbs.db", "desktop.ini", "__pycache__", ".git", ".svn", ".hg"]);

/** What of a folder belongs into an archive: metadata.json first, since readers look for it first, then by path. */
export async function listSource(folder: string): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  const visit = async (file: string, path: string): Promise<void> => {
    const status = await lstat(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (!status) return;
    checkName(path, ARCHIVE_LIMITS);
    if (status.isSymbolicLink()) {
      refuse("symbolic-link", "There is a symbolic link. Put the file itself in its place.", path);
    }
    if (status.isDirectory()) {
      for (const name of await readdir(file)) {
        // One spelling of accents, whatever the file system makes of them.
        if (!LEFT_BEHIND.has(name)) await visit(join(file, name), `${path}/${name.normalize("NFC")}`);
      }
      return;
    }
    if (!status.isFile()) refuse("special-file", "There is something that is neither a file nor a folder.", path);
    if (files.length === ARCHIVE_LIMITS.maxEntries) {
      refuse("too-many-entries", `There are more than ${ARCHIVE_LIMITS.maxEntries} files. Leave some out.`);
    }
    files.push({ path, file, size: status.size, isExecutable: (status.mode & UNIX_MODE.execute) !== 0 });
  };
  await visit(join(folder, METADATA_PATH), METADATA_PATH);
  if (files.length === 0) {
    refuse("metadata-missing", "There is no metadata.json at the top of the folder. Put it there.");
  }
  for (const name of [...INSTALLED_FOLDERS]) await visit(join(folder, name), name);
  return files.sort(
    (a, b) => Number(b.path === METADATA_PATH) - Number(a.path === METADATA_PATH) || (a.path < b.path ? -1 : 1),
  );
}
