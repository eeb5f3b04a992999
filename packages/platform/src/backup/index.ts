export { decrypting, encrypting, isAge } from "./format/age.ts";
export { BackupFault, readBackup } from "./format/reader.ts";
export { type Moved, moveDatabase } from "./move.ts";
export { fileSink, folderPlace, readFile } from "./places.ts";
export { interruptedRestore, NotEmpty, type Restored, restoreBackup, undoRestore } from "./restore.ts";
export { newBackupName, type Progress, takeBackup } from "./take.ts";
