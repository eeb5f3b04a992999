import type { ArchiveFile, ArchiveRefusal } from "./archive.ts";
import { type ReadOptions, readArchive } from "./read-archive.ts";
import { orRefusal } from "./refusal.ts";
import { openTarget } from "./target.ts";

export type ExtractOptions = ReadOptions & {
  /** After each file: its path, and how many bytes of how many are written. */
  onFile?(path: string, done: number, total: number): void;
};

/**
 * Writes the files of the installed folders below `target`, after the same checks as inspecting does. They are on disk
 * when this returns. What was there stays; a file that is in the way is an error. When the archive is refused or
 * anything fails, what was written is gone again.
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
