import type { Recordings } from "@backplane/contract/devices";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { Problem } from "@backplane/kit/problems";
import type { Dependencies } from "../services.ts";
import { openRecordingFiles } from "./files.ts";
import { type HeldRecorder, openRecorder, type RecorderOptions } from "./recorder.ts";
import { completeRecording } from "./recover.ts";
import { createRecordingStore, recordingOf, type StoredRecording } from "./store.ts";
import type { FollowVideos } from "./video.ts";

/** The recordings of all workspaces. They are read by every instance, and made by the one that holds the devices. */
export type RecordingBook = {
  /** For the instance that holds the devices of a workspace. What a process left that was killed is completed meanwhile. */
  hold(workspaceId: string, parts: Pick<RecorderOptions, "model" | "memory">): HeldRecorder;
  list(workspaceId: string): Promise<Recordings>;
  /** Throws `recording-unknown`. */
  find(workspaceId: string, id: string): Promise<StoredRecording>;
  /** The file of one that has ended; throws `still-recording`. */
  path(workspaceId: string, recording: StoredRecording): Promise<string>;
  removeOf(workspaceId: string): Promise<void>;
};

export function openRecordings({
  database,
  settings,
  now,
  note,
  onFault,
  followVideos = () => () => {},
}: Pick<Dependencies, "database" | "settings" | "now" | "note" | "onFault"> & {
  /** The streams of a workspace that are recorded. */
  followVideos?: (workspaceId: string, ...rest: Parameters<FollowVideos>) => () => void;
}): RecordingBook {
  const store = createRecordingStore(database);
  const files = openRecordingFiles(settings.projectsFolder);
  const maxBytes = settings.recordingsMaxBytes;
  return {
    hold: (workspaceId, parts) =>
      openRecorder({
        ...{ ...parts, workspaceId, store, files, maxBytes, now, onFault },
        followVideos: (...rest) => followVideos(workspaceId, ...rest),
        note: (level, message) => note(workspaceId, level, "devices", message),
      }),
    async list(workspaceId) {
      const all = await store.list(workspaceId);
      return {
        ...{ recordings: all.map(recordingOf), bytes: all.reduce((sum, { bytes }) => sum + bytes, 0), maxBytes },
        keptMs: DEVICES_LIMITS.keptMs,
      };
    },
    async find(workspaceId, id) {
      const found = await store.find(workspaceId, id);
      if (found) return found;
      throw new Problem("recording-unknown", {
        detail: `There is no recording ${id}. GET …/current/recordings lists them.`,
      });
    },
    async path(workspaceId, { id, state, name }) {
      if (state === "recording") throw new Problem("still-recording", { detail: `Stop "${name}" first.` });
      const path = await files.pathFor(workspaceId, id);
      // One that ended because the disk was full is completed when there is room.
      if (state === "cut") await completeRecording(path).catch(onFault);
      return path;
    },
    async removeOf(workspaceId) {
      await store.removeOf(workspaceId);
      await files.removeOf(workspaceId);
    },
  };
}
