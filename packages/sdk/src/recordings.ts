import type { NewRecording, Recording, RecordingDetails, Recordings } from "@backplane/contract/devices";
import type { CallOptions } from "./call.ts";
import { invalidOption, PanelsError } from "./errors.ts";
import type { ApiRequest } from "./request.ts";
import { streamBytes } from "./streams.ts";
import { queryOf } from "./text.ts";

export type Call = (method: ApiRequest["method"], path: string, body?: object, waitMs?: number) => Promise<unknown>;
export type WithFields = <Answer>(answer: unknown, ...fields: readonly (keyof Answer & string)[]) => Answer;

/** Keeping the last 10 minutes writes all of them before it is answered. */
const KEEP_MS = 60_000;

/** The recordings of a workspace's devices. */
export const recordingCalls = (options: CallOptions, call: Call, withFields: WithFields, recordings: string) => {
  const pathOf = (id: string): string => {
    if (/^[0-9a-f-]{36}$/.test(id)) return `${recordings}/${id}`;
    throw invalidOption(PanelsError, "id", "is not the id of a recording");
  };
  const start = async (wanted: NewRecording) =>
    withFields<Recording>(await call("POST", recordings, wanted, KEEP_MS), "id", "state");
  return {
    list: async () => withFields<Recordings>(await call("GET", recordings), "recordings"),
    get: async (id: string) => withFields<RecordingDetails>(await call("GET", pathOf(id)), "id", "recorded"),
    /** Records until `stop`. One at a time. `lastMs`: it begins that long ago, with what is in memory. */
    start: (wanted: Omit<NewRecording, "keep"> = {}) => start(wanted),
    /** Saves what just happened: the last 10 minutes, or `lastMs`. */
    keep: (wanted: Omit<NewRecording, "keep"> = {}) => start({ ...wanted, keep: true }),
    stop: async (id: string) =>
      withFields<Recording>(await call("PATCH", pathOf(id), { state: "stopped" }, KEEP_MS), "id", "state"),
    rename: async (id: string, name: string) =>
      withFields<Recording>(await call("PATCH", pathOf(id), { name }), "id", "name"),
    /** With its file. */
    remove: async (id: string) => void (await call("DELETE", pathOf(id))),
    /** A recording as a file, in pieces: it may be larger than memory. `device` and `capability` are for CSV and Parquet. */
    download: (
      id: string,
      format: "mcap" | "csv" | "parquet" = "mcap",
      part: { device?: string; capability?: string; from?: string; to?: string } = {},
    ) => streamBytes(PanelsError, options, { path: `${pathOf(id)}.${format}${queryOf(part)}`, accept: "*/*" }),
  };
};
