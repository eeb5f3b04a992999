export { holdHome, homeLockPath } from "../hold-home.ts";
export { readBackup } from "./format/reader.ts";
export { moveDatabase } from "./move.ts";
export { moveArchives } from "./move-archives.ts";
export { knownBackups } from "./record.ts";
export { restoreBackup, undoRestore } from "./restore.ts";
export { bucketOf, placeFor, readPassphrase, runBackup, type Secret, sourceOf } from "./run.ts";
export type { Progress } from "./take.ts";
