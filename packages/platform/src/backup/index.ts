export { holdHome, homeLockPath } from "../hold-home.ts";
export { readBackup } from "./format/reader.ts";
export { moveDatabase } from "./move.ts";
export { restoreBackup, undoRestore } from "./restore.ts";
export { placeFor, readPassphrase, runBackup, type Secret, sourceOf } from "./run.ts";
export type { Progress } from "./take.ts";
