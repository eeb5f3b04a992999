import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import type { Archive, ArchiveRefusal } from "../../archives/archive.ts";
import { inspectArchive } from "../../archives/inspect.ts";

/** Larger ones are copied without passing through memory. */
const MAX_BYTES_IN_MEMORY = 16 * 1024 * 1024;

/** An archive to look into; without `copy` it is served from where it lies. */
export type Task = { file: string; copy?: string; size: number };

export type Taken =
  | { archive: Archive; sha256: string; size: number }
  | { refusal: ArchiveRefusal }
  | { unreadable: string };

/**
 * Copies an archive and looks into the copy, so that what was found harmless and hashed is what gets served, whatever
 * happens to the original meanwhile.
 */
export async function takeArchive({ file, copy, size }: Task): Promise<Taken> {
  try {
    if (copy !== undefined && size <= MAX_BYTES_IN_MEMORY) writeFileSync(copy, readFileSync(file));
    else if (copy !== undefined) copyFileSync(file, copy);
    return await inspectArchive(copy ?? file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (typeof code !== "string") throw error;
    return { unreadable: message };
  }
}
