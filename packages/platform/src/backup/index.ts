export { holdHome, homeLockPath } from "../hold-home.ts";
export { readBackup } from "./format/reader.ts";
export { moveArchives } from "./moving/move-archives.ts";
export { moveDatabase } from "./moving/move-database.ts";
export { bucketOf, placeFor } from "./places/place-for.ts";
export { restoreBackup, undoRestore } from "./restoring/restore.ts";
export { knownBackups } from "./scheduling/record.ts";
export { readPassphrase, runBackup, type Secret, sourceOf } from "./taking/run.ts";
export type { Progress } from "./taking/take.ts";
