import type { ArchiveReason } from "@backplane/contract/registry";

/** One file of an archive that gets installed. */
export type ArchiveFile = { path: string; size: number; sha256: string };

/** What an archive holds, after every check was passed. */
export type Archive = {
  /** The text of metadata.json at its root. */
  metadata: string;
  /** The files in installed folders, sorted by path: "plugins/main.py". Folders are not listed. */
  files: ArchiveFile[];
  /** The sum of their sizes, in bytes. */
  installSize: number;
  /** resources/icon.png, if there is one and it is a PNG. */
  icon?: Uint8Array;
  /** The text of plugins/panel/panel.json, if it is a panel for workspaces. */
  panelJson?: string;
  /** The pictures for its page, if there are any, by path. */
  screenshots?: Screenshot[];
};

/** A PNG, and where its packed bytes are in the archive. */
export type Screenshot = {
  /** Its file name, without ".png". */
  name: string;
  sha256: string;
  width: number;
  height: number;
  size: number;
  at: number;
  packedSize: number;
  isDeflated: boolean;
};

/** Why an archive is refused: a stable word, a sentence with the next step, and the entry if one is at fault. */
export type ArchiveRefusal = { reason: ArchiveReason; message: string; path?: string };

/** The folders at the top of an archive that get installed; everything else at the top is ignored. */
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

/** The name of a package's own folder in each of the installed folders. */
export const folderOf = (identifier: string): string => identifier.replaceAll(".", "_");

/** Thrown by checks deep inside; it never leaves this folder. */
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

/** The result, or why the archive is refused. Other errors are thrown. */
export async function orRefusal<T>(work: () => Promise<T>): Promise<T | { refusal: ArchiveRefusal }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveRefused) return { refusal: error.refusal };
    throw error;
  }
}

const MAX_SHOWN_CHARACTERS = 300;

/** A hostile name must not reach a terminal or a log unescaped. */
function printable(path: string): string {
  const shown = path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
  return shown.length > MAX_SHOWN_CHARACTERS ? `${shown.slice(0, MAX_SHOWN_CHARACTERS)}…` : shown;
}
