import {
  type Ack,
  DEVICES_LIMITS,
  type Device,
  type DeviceKey,
  type DeviceKeys,
  type Devices,
  type EventsQuery,
  type FoxgloveLink,
  type History,
  type LastValue,
  type Lease,
  type MadeDeviceKey,
  type NewDeviceKey,
  type NewSource,
  type Recording,
  type RecordingDetails,
  type Recordings,
  type Source,
  type Sources,
  type StopAnswer,
  type Waited,
  type WaitQuery,
} from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import type { CallOptions } from "./call.ts";
import { cameraCalls } from "./cameras.ts";
import { type DeviceEvent, readDeviceEvents } from "./device-events.ts";
import { type Call, recordingCalls, type WithFields } from "./recordings.ts";
import { queryOf } from "./text.ts";

export type {
  Ack,
  Device,
  DeviceEvent,
  DeviceKey,
  Devices,
  History,
  LastValue,
  Lease,
  MadeDeviceKey,
  Recording,
  RecordingDetails,
  Recordings,
  Source,
  Sources,
  Waited,
};

/** A device may take this long to be where it was told to be. */
const REACH_MS = 35_000;

/** The devices of a workspace. What moves or powers needs `take` and `arm` first; `stop` needs neither. */
export const deviceCalls = (call: Call, withFields: WithFields, current: string, options: CallOptions) => ({
  ...controlCalls(call, withFields, `${current}/devices`, options),
  recordings: recordingCalls(options, call, withFields, `${current}/recordings`),
  streams: cameraCalls(call, withFields, `${current}/streams`),
});

const controlCalls = (call: Call, withFields: WithFields, devices: string, options: CallOptions) => ({
  list: async () => withFields<Devices>(await call("GET", devices), "devices"),
  /** The last value of every field. */
  read: async (device: string, capability: string) =>
    withFields<LastValue>(await call("GET", `${devices}/${device}/${capability}`), "fields"),
  /** Resolves when `field` is above, below or equal to something; without `field`, with the next sample. */
  wait: async (device: string, capability: string, until: WaitQuery = {}) =>
    withFields<Waited>(
      await call(
        "GET",
        `${devices}/${device}/${capability}/wait${queryOf(until)}`,
        undefined,
        until.timeoutMs ?? DEVICES_LIMITS.waitMs,
      ),
      "reached",
    ),
  /** Follows devices as it happens, or as it was recorded: all of them, one, or one of its capabilities. `break` ends it. */
  events: (which: EventsQuery = {}) => readDeviceEvents(options, `${devices}/events${queryOf(which)}`),
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
  /** A link for Foxglove or Lichtblick, which look by it. A secret until it ends, 10 minutes after its last use. */
  foxglove: async () => withFields<FoxgloveLink>(await call("POST", `${devices}/foxglove`, {}), "url", "expiresAt"),
  keys: async () => withFields<DeviceKeys>(await call("GET", `${devices}/keys`), "keys"),
  /** The key is shown once. It is the MQTT password of the device. */
  makeKey: async (key: NewDeviceKey) =>
    withFields<MadeDeviceKey>(await call("POST", `${devices}/keys`, key), "id", "key"),
  /** Devices that Backplane connects to, with the state of each, and the protocols that it speaks. */
  sources: async () => withFields<Sources>(await call("GET", `${devices}/sources`), "sources", "kinds"),
  /** Connects to a device now, and whenever the connection was lost. It has the name of the source as its id. */
  connect: async (source: NewSource) =>
    withFields<Source>(await call("POST", `${devices}/sources`, source), "name", "state"),
  /** Connects again with these settings; those that are not given stay. */
  changeSource: async (name: string, settings: JsonObject) =>
    withFields<Source>(
      await call("PUT", `${devices}/sources/${encodeURIComponent(name)}`, { settings }),
      "name",
      "state",
    ),
  /** What moves is stopped, and the device leaves the workspace. */
  disconnect: async (name: string) => void (await call("DELETE", `${devices}/sources/${encodeURIComponent(name)}`)),
  revokeKey: async (id: string) => void (await call("DELETE", `${devices}/keys/${encodeURIComponent(id)}`)),
});
