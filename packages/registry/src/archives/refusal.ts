import type { ArchiveReason } from "@backplane/contract/registry";
import type { ArchiveRefusal } from "./archive.ts";

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
