import type { Archive, ArchiveRefusal } from "./archive.ts";
import { type ReadOptions, readArchive } from "./read-archive.ts";
import { orRefusal } from "./refusal.ts";

export type Inspected = { archive: Archive; sha256: string; size: number } | { refusal: ArchiveRefusal };

/**
 * What an archive on disk holds, or why it is refused. It is read once through, small ones at once and large ones piece
 * by piece; nothing is written.
 */
export const inspectArchive = (file: string, options: ReadOptions = {}): Promise<Inspected> =>
  orRefusal(() => readArchive(file, options));

/** The same of an archive that is in memory already. */
export const inspectBytes = (bytes: Buffer, options: ReadOptions = {}): Promise<Inspected> =>
  orRefusal(() => readArchive(bytes, options));
