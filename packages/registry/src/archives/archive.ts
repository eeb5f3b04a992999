import type { ArchiveReason } from "@backplane/contract/registry";

/** One file of an archive that gets installed: where, how large, and what its bytes are. */
export type ArchiveFile = { path: string; size: number; sha256: string };

/** What an archive holds, after everything in it was found harmless. */
export type Archive = {
  /** The text of metadata.json at its root. */
  metadata: string;
  /** Below the folders that get installed, by path: "plugins/main.py". Folders are not listed. */
  files: ArchiveFile[];
  /** The sum of their sizes. */
  installSize: number;
  /** resources/icon.png, when there is one that is a PNG. */
  icon?: Uint8Array;
};

/** Why an archive is not taken: a stable word, a sentence with the next step, and the entry when one is to blame. */
export type ArchiveRefusal = { reason: ArchiveReason; message: string; path?: string };

/** At the top of an archive; the rest of the top level is not installed. */
export const INSTALLED_FOLDERS = [
  "plugins",
  "footprints",
  "3dmodels",
  "symbols",
  "resources",
  "colors",
  "templates",
  "scripts",
] as const;
export type InstalledFolder = (typeof INSTALLED_FOLDERS)[number];

export const ARCHIVE_LIMITS = {
  maxBytes: 256 * 1024 * 1024,
  maxEntries: 50_000,
  maxUnpackedBytes: 1024 * 1024 * 1024,
  /** Unpacked by packed, of an entry over a megabyte: real files stay far below. */
  maxRatio: 200,
  maxPathCharacters: 240,
  maxPathDepth: 24,
  maxMetadataBytes: 1024 * 1024,
  maxIconBytes: 256 * 1024,
} as const;
export type ArchiveLimits = { readonly [name in keyof typeof ARCHIVE_LIMITS]: number };

/** The folder of a package below each of the folders above. */
export const folderOf = (identifier: string): string => identifier.replaceAll(".", "_");

/** How a check deep inside says no; it never leaves this folder. */
class ArchiveRefused extends Error {
  readonly refusal: ArchiveRefusal;
  constructor(refusal: ArchiveRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function refuse(reason: ArchiveReason, message: string, path?: string): never {
  throw new ArchiveRefused({ reason, message, ...(path === undefined ? {} : { path: printable(path) }) });
}

/** What the work gives, or why the archive is refused. Other errors pass. */
export async function orRefusal<T>(work: () => Promise<T>): Promise<T | { refusal: ArchiveRefusal }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveRefused) return { refusal: error.refusal };
    throw error;
  }
}

const MAX_SHOWN_CHARACTERS = 300;

/** A hostile name must not reach a terminal or a log as it is. */
function printable(path: string): string {
  const shown = path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
  return shown.length > MAX_SHOWN_CHARACTERS ? `${shown.slice(0, MAX_SHOWN_CHARACTERS)}…` : shown;
}
