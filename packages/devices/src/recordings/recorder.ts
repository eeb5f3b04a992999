import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { DEVICES_LIMITS, type Recording } from "@backplane/contract/devices";
import type { Clock } from "@backplane/kit/clock";
import { createListeners, queueByKey } from "@backplane/kit/concurrency";
import { Problem } from "@backplane/kit/problems";
import type { KeepingModel } from "../model/model.ts";
import type { Recorder, RecordingNews, WantedRecording } from "../services.ts";
import type { RecordingFiles } from "./files.ts";
import { earliestMs, type Memory } from "./memory.ts";
import { completeRecording, recoverRecordings } from "./recover.ts";
import { type RecordingStore, recordingOf, type StoredRecording } from "./store.ts";
import { emptySummary } from "./summary.ts";
import type { FollowVideos } from "./video.ts";
import { partOf, startWriting, type Writing } from "./writing.ts";

const { keptMs, maxRecordings } = DEVICES_LIMITS;
/** The row is written this often while a recording grows. */
const SAVE_MS = 5_000;
const CLOSED = "Backplane was stopped.";

export type RecorderOptions = {
  workspaceId: string;
  model: Pick<KeepingModel, "devices" | "device" | "ring" | "lines" | "on">;
  memory: Memory;
  store: RecordingStore;
  files: RecordingFiles;
  followVideos: FollowVideos;
  maxBytes: number;
  note(level: "info" | "warn", message: string): void;
  now: Clock;
  onFault(error: unknown): void;
};

export type HeldRecorder = Recorder & { close(): Promise<void> };

type Active = { stored: StoredRecording; writing: Writing; savedAtMs: number };

/** Makes the recordings of a workspace, on the instance that holds its devices: one at a time, and what is kept beside it. */
export function openRecorder(options: RecorderOptions): HeldRecorder {
  const { workspaceId, model, memory, store, files, followVideos, now, note, onFault } = options;
  const news = createListeners<RecordingNews>(onFault);
  // One change at a time: of two who start or stop at once, one comes first.
  const queue = queueByKey();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => queue.run("", work);
  let active: Active | undefined;

  const tell = (stored: StoredRecording): Recording => {
    const recording = recordingOf(stored);
    news.emit({ recording });
    return recording;
  };

  function onGrown(): void {
    if (!active) return;
    const one = active;
    tell(grown(one));
    if (now() - one.savedAtMs < SAVE_MS) return;
    one.savedAtMs = now();
    const { endMs, bytes, summary } = grown(one);
    void store.update(one.stored.id, { endMs, bytes, summary }).catch(onFault);
  }

  async function write(stored: StoredRecording, wanted: WantedRecording, maxBytes: number): Promise<Writing> {
    const path = await files.pathFor(workspaceId, stored.id);
    const devices = wanted.devices === undefined ? undefined : new Set(wanted.devices);
    return startWriting({
      ...{ path, model, memory, fromMs: stored.startMs, devices, maxBytes, now, sync: files.sync, onGrown },
      // Of the past, there are no pictures in memory.
      followVideos: wanted.keep ? undefined : (take) => followVideos(take, wanted.payer),
      onEnded: (reason) => void inTurn(() => end(stored.id, reason)).catch(onFault),
    });
  }

  async function end(id: string, reason: string | null): Promise<Recording> {
    if (active?.stored.id !== id) {
      const stored = await store.find(workspaceId, id);
      if (!stored) throw unknown(id);
      return recordingOf(stored);
    }
    const one = active;
    const ended = await finish(one, reason, options);
    active = undefined;
    if (reason !== null) note("warn", `The recording "${ended.name}" has ended: ${reason}`);
    return tell(ended);
  }

  async function start(wanted: WantedRecording): Promise<Recording> {
    if (active && !wanted.keep) throw alreadyRecording(active);
    const missing = wanted.devices?.find((id) => !model.device(id));
    if (missing !== undefined) throw unknownDevice(missing);
    const maxBytes = await spaceLeft(options);
    const stored = begin(wanted, options);
    await store.insert(workspaceId, stored);
    try {
      const writing = await write(stored, wanted, maxBytes);
      if (wanted.keep) return tell(await finish({ stored, writing }, null, options));
      active = { stored, writing, savedAtMs: now() };
      return tell(grown(active));
    } catch (error) {
      await store.remove(stored.id);
      throw error;
    }
  }

  async function rename(id: string, name: string): Promise<Recording> {
    const stored = await store.find(workspaceId, id);
    if (!stored) throw unknown(id);
    await store.update(id, { name });
    if (active?.stored.id !== id) return tell({ ...stored, name });
    active.stored = { ...active.stored, name };
    return tell(grown(active));
  }

  async function remove(id: string): Promise<void> {
    if (!(await store.find(workspaceId, id))) throw unknown(id);
    if (active?.stored.id === id) await end(id, null);
    const path = await files.pathFor(workspaceId, id);
    await rm(path, { force: true });
    await rm(partOf(path), { force: true });
    await store.remove(id);
    news.emit({ removed: id });
  }

  // Devices do not wait for it; whatever is done with recordings does.
  const settled = inTurn(() => recoverRecordings(workspaceId, { store, files })).catch(onFault);
  return {
    settled: () => settled,
    current: () => (active ? recordingOf(grown(active)) : null),
    onChange: news.add,
    start: (wanted) => inTurn(() => start(wanted)),
    stop: (id) => inTurn(() => end(id, null)),
    rename: (id, name) => inTurn(() => rename(id, name)),
    remove: (id) => inTurn(() => remove(id)),
    async close() {
      await inTurn(async () => {
        if (active) await end(active.stored.id, CLOSED);
      }).catch(onFault);
    },
  };
}

/** As it is now. */
const grown = ({ stored, writing }: Pick<Active, "stored" | "writing">): StoredRecording => ({
  ...{ ...stored, endMs: Math.max(stored.startMs, Math.ceil(writing.lastMs)), bytes: writing.bytes },
  summary: writing.summary(),
});

/** Ends a file; what cannot be written any more is completed from what was. */
async function finish(
  { stored, writing }: Pick<Active, "stored" | "writing">,
  reason: string | null,
  { workspaceId, store, files, onFault }: RecorderOptions,
): Promise<StoredRecording> {
  let state: Recording["state"] = "whole";
  try {
    await writing.stop();
  } catch (error) {
    onFault(error);
    state = "cut";
    await completeRecording(await files.pathFor(workspaceId, stored.id)).catch(onFault);
  }
  const ended: StoredRecording = { ...grown({ stored, writing }), state, reason };
  await store.update(stored.id, { ...ended });
  return ended;
}

const unknown = (id: string): Problem =>
  new Problem("recording-unknown", { detail: `There is no recording ${id}. GET …/current/recordings lists them.` });

const unknownDevice = (id: string): Problem =>
  new Problem("device-unknown", { detail: `There is no device ${id} in this workspace.` });

const alreadyRecording = ({ stored }: Active): Problem =>
  new Problem("already-recording", { detail: `"${stored.name}" is being recorded. Stop it first.` });

/** How many bytes the next recording may have. */
async function spaceLeft({ workspaceId, store, files, maxBytes }: RecorderOptions): Promise<number> {
  const { recordings, bytes } = await store.count(workspaceId);
  if (recordings >= maxRecordings) {
    const detail = `A workspace has at most ${maxRecordings} recordings. Remove some first.`;
    throw new Problem("too-many-of-these", { detail });
  }
  const left = Math.min(maxBytes - bytes, await files.free());
  if (left > 0) return left;
  throw new Problem("recordings-full", { detail: "Remove recordings first, or set RECORDINGS_MAX_BYTES higher." });
}

function begin(wanted: WantedRecording, { model, memory, now }: RecorderOptions): StoredRecording {
  const nowMs = now();
  const sinceMs = nowMs - Math.min(keptMs, wanted.lastMs ?? (wanted.keep ? keptMs : 0));
  const name = wanted.name ?? `Recording ${new Date(nowMs).toISOString().slice(0, 19).replace("T", " ")}`;
  return {
    ...{ id: randomUUID(), name, state: "recording", by: wanted.by, endMs: nowMs, bytes: 0, reason: null },
    ...{ startMs: earliestMs(model, memory, sinceMs, nowMs), summary: emptySummary() },
  };
}
