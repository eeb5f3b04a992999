import { rename, rm } from "node:fs/promises";
import { ARCHIVE_LIMITS, type ArchiveRefusal } from "./archive.ts";
import { readArchive } from "./read-archive.ts";
import { orRefusal, refuse } from "./refusal.ts";
import { listSource, type SourceFile } from "./source-files.ts";
import { openZipFile } from "./zip-file.ts";

export type PackOptions = {
  /** After each file: its path, and how many bytes of how many are packed. */
  onFile?(path: string, done: number, total: number): void;
};

export type Packed = { sha256: string; size: number; installSize: number };

/**
 * Makes an archive of a folder: its metadata.json and the folders that get installed, sorted, without times. The same
 * files give the same bytes with the same build of Node. What would be refused later is refused now, and `file` is then
 * as it was.
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
  await using zip = await openZipFile(file);
  let done = 0;
  for (const source of sources) {
    await zip.add(source);
    done += source.size;
    onFile?.(source.path, done, total);
  }
  await zip.finish();
}
