import { lstat, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ARCHIVE_LIMITS } from "@backplane/contract/registry";
import { type ArchiveRefusal, INSTALLED_FOLDERS, orRefusal, refuse } from "./archive.ts";
import { checkName, METADATA_PATH } from "./check-entry.ts";
import { readArchive } from "./read-archive.ts";
import { openZipFile, type SourceFile } from "./write-zip.ts";
import { UNIX_MODE } from "./zip-records.ts";

type PackOptions = {
  /** Called after each file, with the bytes packed so far and in total. */
  onFile?(path: string, done: number, total: number): void;
};

type Packed = { sha256: string; size: number; installSize: number };

/**
 * Packs a folder: its metadata.json and the installed folders, sorted and without times. The same files give the same
 * bytes with the same build of Node. What would be refused later is refused now, and then `file` is left as it was.
 */
export function packFolder(
  folder: string,
  file: string,
  options: PackOptions = {},
): Promise<Packed | { refusal: ArchiveRefusal }> {
  return orRefusal(async () => {
    const sources = await listSource(folder);
    const total = sources.reduce((sum, source) => sum + source.size, 0);
    if (total > ARCHIVE_LIMITS.maxUnpackedBytes) {
      const { maxUnpackedBytes } = ARCHIVE_LIMITS;
      refuse("too-large-unpacked", `The files have ${total} bytes; ${maxUnpackedBytes} are allowed. Leave some out.`);
    }
    const unfinished = `${file}.unfinished`;
    try {
      await writeArchive(unfinished, sources, total, options);
      const { archive, sha256, size } = await readArchive(unfinished, {});
      await rename(unfinished, file);
      return { sha256, size, installSize: archive.installSize };
    } finally {
      await rm(unfinished, { force: true });
    }
  });
}

async function writeArchive(
  file: string,
  sources: readonly SourceFile[],
  total: number,
  { onFile }: PackOptions,
): Promise<void> {
  const { maxBytes } = ARCHIVE_LIMITS;
  const tooLarge = () => refuse("too-large", `The archive has more than ${maxBytes} bytes. Leave something out.`);
  await using zip = await openZipFile(file, { flags: "w", maxBytes, refuse: tooLarge });
  let done = 0;
  for (const source of sources) {
    await zip.addFile(source);
    done += source.size;
    onFile?.(source.path, done, total);
  }
  await zip.finish();
}

/** What systems and tools leave behind. */
const LEFT_BEHIND = new Set([".DS_Store", "Thumbs.db", "desktop.ini", "__pycache__", ".git", ".svn", ".hg"]);

/** The files that belong in the archive: metadata.json first, because readers want it first, then by path. */
async function listSource(folder: string): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  const visit = async (file: string, path: string): Promise<void> => {
    const status = await lstat(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (!status) return;
    checkName(path, ARCHIVE_LIMITS);
    if (status.isSymbolicLink()) {
      refuse("symbolic-link", "The folder contains a symbolic link. Replace it by the file itself.", path);
    }
    if (status.isDirectory()) {
      for (const name of await readdir(file)) {
        // One spelling of accents on every file system.
        if (!LEFT_BEHIND.has(name)) await visit(join(file, name), `${path}/${name.normalize("NFC")}`);
      }
      return;
    }
    if (!status.isFile())
      refuse("special-file", "The folder contains something that is neither a file nor a folder. Leave it out.", path);
    if (files.length === ARCHIVE_LIMITS.maxEntries) {
      refuse("too-many-entries", `There are more than ${ARCHIVE_LIMITS.maxEntries} files. Leave some out.`);
    }
    files.push({ path, file, size: status.size, isExecutable: (status.mode & UNIX_MODE.execute) !== 0 });
  };
  await visit(join(folder, METADATA_PATH), METADATA_PATH);
  if (files.length === 0) {
    refuse("metadata-missing", "There is no metadata.json at the top of the folder. Add it.");
  }
  for (const name of [...INSTALLED_FOLDERS]) await visit(join(folder, name), name);
  return files.sort(
    (a, b) => Number(b.path === METADATA_PATH) - Number(a.path === METADATA_PATH) || (a.path < b.path ? -1 : 1),
  );
}
