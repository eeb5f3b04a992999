import type {
  Ack,
  Device,
  DeviceKey,
  DeviceKeys,
  Devices,
  History,
  LastValue,
  Lease,
  MadeDeviceKey,
  NewDeviceKey,
  NewRecording,
  Recording,
  RecordingDetails,
  Recordings,
  StopAnswer,
} from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { SessionOptions } from "./call.ts";
import { invalidOption, PanelsError } from "./errors.ts";
import type { ApiRequest } from "./request.ts";
import { streamBytes, streamEvents } from "./streams.ts";
import { queryOf } from "./text.ts";

export type {
  Ack,
  Device,
  DeviceKey,
  Devices,
  History,
  LastValue,
  Lease,
  MadeDeviceKey,
  Recording,
  RecordingDetails,
  Recordings,
};

type Call = (method: ApiRequest["method"], path: string, body?: object, waitMs?: number) => Promise<unknown>;
type WithFields = <Answer>(answer: unknown, ...fields: readonly (keyof Answer & string)[]) => Answer;

/** A device may take this long to be where it was told to be. */
const REACH_MS = 35_000;

/** The devices of a workspace. What moves or powers needs `take` and `arm` first; `stop` needs neither. */
export const deviceCalls = (options: SessionOptions, call: Call, withFields: WithFields, current: string) => {
  const devices = `${current}/devices`;
  return {
    ...controlCalls(call, withFields, devices),
    /**
     * What devices measure and say, as it comes, until the loop over it ends: `devices`, `values`, `lines`, `stopped`,
     * `recording`. With `recording`: what was recorded, as it came then; the last event is `ended`.
     */
    events: (which: EventsOptions = {}) => streamEvents(PanelsError, options, `${devices}/events${queryOf(which)}`),
    recordings: recordingCalls(options, call, withFields, `${current}/recordings`),
  };
};

type EventsOptions = {
  device?: string;
  capability?: string;
  rateHz?: number;
  recording?: string;
  /** Where a replay begins: an ISO time, or epoch ms. */
  at?: string;
  /** Of a replay, from 0.1 to 16. */
  speed?: number;
};

/** Keeping the last 10 minutes writes all of them before it is answered. */
const KEEP_MS = 60_000;

const recordingCalls = (options: SessionOptions, call: Call, withFields: WithFields, recordings: string) => {
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

const controlCalls = (call: Call, withFields: WithFields, devices: string) => ({
  list: async () => withFields<Devices>(await call("GET", devices), "devices"),
  /** The last value of every field. */
  read: async (device: string, capability: string) =>
    withFields<LastValue>(await call("GET", `${devices}/${device}/${capability}`), "fields"),
  history: async (device: string, capability: string, query: { from?: string; to?: string; points?: number } = {}) =>
    withFields<History>(await call("GET", `${devices}/${device}/${capability}/history${queryOf(query)}`), "tMs"),
  /** Takes control, or keeps it: it ends 5 s after it was last used. */
  take: async (device: string, options: { takeOver?: boolean } = {}) =>
    withFields<Lease>(await call("PUT", `${devices}/${device}/lease`, options), "holder"),
  /** Gives control back. What moves stops. */
  leave: async (device: string) => void (await call("DELETE", `${devices}/${device}/lease`)),
  arm: async (device: string) => void (await call("PUT", `${devices}/${device}/arm`, {})),
  disarm: async (device: string) => void (await call("DELETE", `${devices}/${device}/arm`)),
  /** Resolves when the device has answered. What moves stops unless the command is sent again within 300 ms. */
  command: async (device: string, capability: string, name: string, params: JsonObject = {}) =>
    withFields<Ack>(
      await call("POST", `${devices}/${device}/${capability}/commands`, { name, params }, REACH_MS),
      "ok",
    ),
  /** Stops everything that moves or is powered in this workspace. */
  stop: async () => withFields<StopAnswer>(await call("POST", `${devices}/stop`, {}), "devices"),
  /** After a stop, lets devices be controlled again. */
  clearStop: async () => void (await call("DELETE", `${devices}/stop`)),
  keys: async () => withFields<DeviceKeys>(await call("GET", `${devices}/keys`), "keys"),
  /** The key is shown once. It is the MQTT password of the device. */
  makeKey: async (key: NewDeviceKey) =>
    withFields<MadeDeviceKey>(await call("POST", `${devices}/keys`, key), "id", "key"),
  revokeKey: async (id: string) => void (await call("DELETE", `${devices}/keys/${encodeURIComponent(id)}`)),
});
