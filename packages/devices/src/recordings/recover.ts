import { open, rename, rm } from "node:fs/promises";
import type { RecordedChannel } from "@backplane/contract/devices";
import { DEVICES_TOPIC, LINES_TOPIC } from "./channels.ts";
import { completeFile } from "./complete.ts";
import type { RecordingFiles } from "./files.ts";
import type { McapContents } from "./mcap-file.ts";
import type { RecordingStore, StoredRecording } from "./store.ts";
import type { Summary } from "./summary.ts";
import { msOf } from "./times.ts";
import { partOf } from "./writing.ts";

const KILLED = "Backplane ended while it was recording.";

type Completed = Pick<StoredRecording, "bytes" | "endMs"> & {
  /** What its row has of this may be some seconds old. */
  counted: Pick<Summary, "messages" | "recorded" | "lines">;
};

/** Makes a file of what was written of a recording. Undefined: nothing of it is there. */
export async function completeRecording(path: string): Promise<Completed | undefined> {
  const part = await open(partOf(path), "r+").catch(isMissing);
  // It may have been renamed just before the row was written.
  const handle = part ?? (await open(path, "r+").catch(isMissing));
  if (!handle) return undefined;
  try {
    const contents = await completeFile(handle);
    if (!contents) return undefined;
    if (part) await rename(partOf(path), path);
    const endMs = contents.chunks.reduce((last, { messageEndTime }) => Math.max(last, msOf(messageEndTime)), 0);
    return { bytes: contents.position, endMs: Math.ceil(endMs), counted: countIn(contents) };
  } finally {
    await handle.close();
  }
}

function countIn({ channels, counts }: McapContents): Completed["counted"] {
  const recorded = new Map<string, RecordedChannel>();
  let [messages, lines] = [0, 0];
  for (const [id, { topic, metadata }] of channels) {
    const count = counts.get(id) ?? 0;
    if (topic === DEVICES_TOPIC || count === 0) continue;
    messages += count;
    if (topic === LINES_TOPIC) lines += count;
    const [device, capability, kind] = ["device", "capability", "kind"].map((name) => metadata.get(name));
    if (device === undefined || capability === undefined || kind === undefined) continue;
    const before = recorded.get(topic)?.messages ?? 0;
    recorded.set(topic, { device, capability, kind, messages: before + count });
  }
  return { messages, recorded: [...recorded.values()], lines };
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
      const { bytes, counted } = completed;
      const endMs = Math.max(stored.startMs, completed.endMs);
      const summary = { ...stored.summary, ...counted };
      await store.update(stored.id, { bytes, endMs, summary, state: "cut", reason: KILLED });
    } else {
      await rm(partOf(path), { force: true });
      await store.remove(stored.id);
    }
  }
}

function isMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
