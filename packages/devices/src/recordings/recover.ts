import { open, rename, rm } from "node:fs/promises";
import { DEVICES_LIMITS, type RecordedChannel } from "@backplane/contract/devices";
import { DEVICES_TOPIC, LINES_TOPIC } from "./channels.ts";
import { completeFile } from "./complete.ts";
import type { RecordingFiles } from "./files.ts";
import type { McapContents } from "./mcap-file.ts";
import { openFileSource } from "./source.ts";
import type { RecordingStore, StoredRecording } from "./store.ts";
import { createSummary, type Summary } from "./summary.ts";
import { msOf } from "./times.ts";
import { partOf } from "./writing.ts";

const KILLED = "Backplane ended while it was recording.";

type Completed = Pick<StoredRecording, "bytes" | "endMs"> & {
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

/**
 * The summary of a file that was completed: its row may be some seconds older or newer. Only what is previewed, said and told is
 * read, so that a long recording takes seconds.
 */
async function summaryOfFile(
  path: string,
  { startMs, summary }: Pick<StoredRecording, "startMs" | "summary">,
  { endMs, counted }: Completed,
): Promise<Summary> {
  const source = await openFileSource(path);
  try {
    const previewed = source
      .channels()
      .filter(({ fields }) => Object.values(fields).some(({ datatype }) => NUMBERS.has(datatype)))
      .slice(0, DEVICES_LIMITS.previewFields);
    const built = createSummary(startMs);
    for await (const event of source.all(previewed)) {
      if ("sample" in event) built.sample(event.sample, "");
      else if ("line" in event) built.line(event.line);
      else built.control(event.control);
    }
    const { marks, preview } = built.build(endMs);
    const gaps = (summary.gaps ?? []).filter(([, toMs]) => toMs <= endMs);
    return { ...counted, marks, preview, gaps };
  } finally {
    await source.close();
  }
}

const NUMBERS: ReadonlySet<string> = new Set(["number", "integer"]);

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
      const { bytes } = completed;
      const endMs = Math.max(stored.startMs, completed.endMs);
      const summary = await summaryOfFile(path, stored, { ...completed, endMs });
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
