import { open, rename, rm, stat } from "node:fs/promises";
import { completeFile } from "./complete.ts";
import type { RecordingFiles } from "./files.ts";
import type { RecordingStore, StoredRecording } from "./store.ts";
import { msOf } from "./times.ts";
import { partOf } from "./writing.ts";

const KILLED = "Backplane ended while it was recording.";

/** Makes a file of what was written of a recording. Undefined: nothing of it is there. */
export async function completeRecording(
  path: string,
): Promise<Partial<Pick<StoredRecording, "bytes" | "endMs">> | undefined> {
  const handle = await open(partOf(path), "r+").catch(isMissing);
  // It may have been renamed just before the row was written.
  if (!handle) return (await stat(path).catch(isMissing)) ? {} : undefined;
  try {
    const contents = await completeFile(handle);
    if (!contents) return undefined;
    await rename(partOf(path), path);
    const endMs = contents.chunks.reduce((last, { messageEndTime }) => Math.max(last, msOf(messageEndTime)), 0);
    return { bytes: contents.position, endMs: Math.ceil(endMs) };
  } finally {
    await handle.close();
  }
}

/** Whatever says that it is being recorded, when an instance takes the devices of a workspace, is not: its instance ended. */
export async function recoverRecordings(
  workspaceId: string,
  { store, files }: { store: RecordingStore; files: RecordingFiles },
): Promise<void> {
  for (const stored of await store.list(workspaceId)) {
    if (stored.state !== "recording") continue;
    const path = await files.pathFor(workspaceId, stored.id);
    const completed = await completeRecording(path);
    if (completed) {
      const endMs = Math.max(stored.startMs, completed.endMs ?? stored.endMs);
      await store.update(stored.id, { ...completed, endMs, state: "cut", reason: KILLED });
    } else {
      await rm(partOf(path), { force: true });
      await store.remove(stored.id);
    }
  }
}

function isMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
