import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** The lower byte of SQLite's codes for a file that is damaged (SQLITE_CORRUPT) or something else (SQLITE_NOTADB). */
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

/**
 * Why the file must not be used, as a sentence with the way back; undefined if it is fine or not there yet. Only reads:
 * opening a damaged file for writing may make it worse.
 */
export function sqliteFault(path: string): string | undefined {
  if (sizeOf(path) > 0) {
    const damage = damageOf(path);
    return damage === undefined ? undefined : `The database ${path} is damaged (${damage}). ${WAY_BACK}`;
  }
  // SQLite would take the log for a leftover and delete it.
  const log = `${path}-wal`;
  return sizeOf(log) > 0 ? `The database ${path} is empty, but its log ${log} is not. ${WAY_BACK}` : undefined;
}

const WAY_BACK =
  "Nothing was changed. Restore it from a backup together with the rest of its folder, or move the whole folder away to start over.";

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function damageOf(path: string): string | undefined {
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    const found = database.prepare("pragma quick_check(1)").get()?.quick_check;
    return found === "ok" ? undefined : String(found).replaceAll("\n", " ").trim();
  } catch (error) {
    const { errcode = 0, message } = error as Error & { errcode?: number };
    // Other errors, such as missing permissions, are reported when it is opened.
    return DAMAGED.has(errcode & 0xff) ? message : undefined;
  }
}
