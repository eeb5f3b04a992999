import type { Recording, RecordingDetails } from "@backplane/contract/devices";
import type { Database } from "@backplane/kit/database";
import type { DevicesTables } from "../tables.ts";
import { emptySummary, type Summary } from "./summary.ts";

type Row = DevicesTables["devices_recordings"];

/** A recording as it is kept: its file, and what is known of it. */
export type StoredRecording = Pick<Recording, "id" | "name" | "state" | "by" | "bytes"> & {
  startMs: number;
  endMs: number;
  summary: Summary;
  reason: string | null;
};

export type RecordingStore = {
  list(workspaceId: string): Promise<StoredRecording[]>;
  find(workspaceId: string, id: string): Promise<StoredRecording | undefined>;
  insert(workspaceId: string, recording: StoredRecording): Promise<void>;
  update(id: string, changed: Partial<Omit<StoredRecording, "id" | "by" | "startMs">>): Promise<void>;
  remove(id: string): Promise<void>;
  removeOf(workspaceId: string): Promise<void>;
  count(workspaceId: string): Promise<{ recordings: number; bytes: number }>;
};

export function createRecordingStore(database: Database<DevicesTables>): RecordingStore {
  const rows = (workspaceId: string) =>
    database.shortLived.selectFrom("devices_recordings").selectAll().where("workspace_id", "=", workspaceId);
  return {
    list: async (workspaceId) =>
      (await rows(workspaceId).orderBy("start_ms", "desc").orderBy("id").execute()).map(storedOf),
    async find(workspaceId, id) {
      const row = await rows(workspaceId).where("id", "=", id).executeTakeFirst();
      return row && storedOf(row);
    },
    async insert(workspaceId, { id, name, state, by, startMs, endMs, bytes, summary, reason }) {
      await database.durable
        .insertInto("devices_recordings")
        .values({
          ...{ id, workspace_id: workspaceId, name, state, recorded_by: by, start_ms: startMs, end_ms: endMs, bytes },
          ...{ summary: JSON.stringify(summary), reason },
        })
        .execute();
    },
    async update(id, { name, state, endMs, bytes, summary, reason }) {
      await database.durable
        .updateTable("devices_recordings")
        .set({
          ...(name === undefined ? {} : { name }),
          ...(state === undefined ? {} : { state }),
          ...(endMs === undefined ? {} : { end_ms: endMs }),
          ...(bytes === undefined ? {} : { bytes }),
          ...(summary === undefined ? {} : { summary: JSON.stringify(summary) }),
          ...(reason === undefined ? {} : { reason }),
        })
        .where("id", "=", id)
        .execute();
    },
    async remove(id) {
      await database.durable.deleteFrom("devices_recordings").where("id", "=", id).execute();
    },
    async removeOf(workspaceId) {
      await database.durable.deleteFrom("devices_recordings").where("workspace_id", "=", workspaceId).execute();
    },
    async count(workspaceId) {
      const { fn } = database.shortLived;
      const found = await database.shortLived
        .selectFrom("devices_recordings")
        .select([fn.countAll<number>().as("recordings"), fn.sum<number | null>("bytes").as("bytes")])
        .where("workspace_id", "=", workspaceId)
        .executeTakeFirstOrThrow();
      return { recordings: Number(found.recordings), bytes: Number(found.bytes ?? 0) };
    },
  };
}

function storedOf({
  id,
  name,
  state,
  recorded_by: by,
  start_ms,
  end_ms,
  bytes,
  summary,
  reason,
}: Row): StoredRecording {
  return {
    ...{ id, name, state, by, startMs: Number(start_ms), endMs: Number(end_ms), bytes: Number(bytes), reason },
    summary: { ...emptySummary(), ...(JSON.parse(summary) as Partial<Summary>) },
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();

export function recordingOf({ startMs, endMs, summary, reason, ...recording }: StoredRecording): Recording {
  const { messages, recorded, preview } = summary;
  return {
    ...{ ...recording, start: iso(startMs), end: iso(endMs), messages, channels: recorded.length },
    ...(reason === null ? {} : { reason }),
    preview,
  };
}

export function detailsOf(stored: StoredRecording): RecordingDetails {
  const { recorded, lines, marks, gaps } = stored.summary;
  return { ...recordingOf(stored), recorded, lines, marks, gaps };
}
