import { type Static, Type } from "typebox";
import type { JsonData, JsonObject } from "../panels/common.ts";
import type { Ack } from "./control.ts";
import type { Device, Stopped } from "./device.ts";
import type { Recording, Replay } from "./recordings.ts";
import type { DeviceLine } from "./values.ts";

export const DEVICES_SOCKET_PATH = "/api/workspaces/devices/socket";
/** Of the Foxglove WebSocket protocol. */
export const FOXGLOVE_PATH = "/api/workspaces/devices/foxglove";

/** POST …/devices/foxglove: a link for tools that speak the protocol. */
export const FoxgloveLink = Type.Object({
  url: Type.String({ examples: ["wss://backplane.example.org/api/workspaces/devices/foxglove?ticket=…"] }),
  expiresAt: Type.String({ format: "date-time" }),
});
export type FoxgloveLink = Static<typeof FoxgloveLink>;

/** What a page wants to see of one channel. `sinceMs`: everything after this sample, which it has. */
export type Want = {
  device: string;
  capability: string;
  fields?: string[];
  rateHz?: number;
  historyMs?: number;
  sinceMs?: number;
};

/** From a page. The first message is hello, with a ticket from POST …/devices/ticket. `id` is chosen by the page. */
export type DevicesPageMessage =
  | { type: "hello"; ticket: string }
  | { type: "renew"; ticket: string }
  | ({ type: "subscribe"; id: number } & Want)
  | { type: "unsubscribe"; id: number }
  | { type: "lines"; on: boolean }
  | { type: "visible"; visible: boolean }
  | { type: "take"; id: number; device: string; takeOver?: boolean }
  | { type: "renew-lease"; device: string }
  | { type: "leave"; device: string }
  | { type: "arm" | "disarm"; id: number; device: string }
  /** While a control is held, every 100 ms. */
  | { type: "press"; device: string }
  /** The control was released: what moves stops at once. */
  | { type: "release"; device: string }
  | { type: "command"; id: number; device: string; capability: string; name: string; params: JsonObject }
  | { type: "stop"; id: number }
  | { type: "clear"; id: number }
  /**
   * Replays a recording in this page, or changes how: what is not given stays. `recording` null: the last 10 minutes, from
   * memory. It begins paused at its start. What the page holds is let go of; stopping goes on working, everything else is
   * refused with `replaying`. Subscriptions stay: each is sent again, from the recording.
   */
  | { type: "replay"; id: number; recording?: string | null; atMs?: number; speed?: number; loop?: boolean }
  /** Ends the replay: everything is live again. */
  | { type: "live"; id: number }
  /**
   * A serial port that the page holds: the hub speaks the protocol `kind` over it, as long as the page is there. `id` is the
   * port in what follows. `data`: bytes in base64.
   */
  | { type: "serial-open"; id: number; kind: string }
  | { type: "serial"; port: number; data: string }
  | { type: "serial-close"; port: number };

/**
 * Columns of one subscription: `v[i]` belongs to the field `f[i]`. Without `f` the fields are those of the batch before, so
 * that names, which are most of a small batch, come once. `h`: history. It comes before what is live, in pieces,
 * and again when a page that was hidden is shown: it replaces what the page has at its first time and later. `thin`: only
 * the lowest and highest values of every 100 ms, or the newest of a period for a page that is hidden or asked for a rate.
 * `reset`: everything that the page has of the subscription is dropped first. It comes, perhaps without rows, when a replay
 * begins, jumps or ends.
 */
export type WireBatch = {
  c: number;
  f?: readonly string[];
  t: number[];
  v: (JsonData | null)[][];
  thin?: true;
  h?: true;
  reset?: true;
};

export type DevicesHubMessage =
  | {
      type: "welcome";
      tab: string;
      devices: Device[];
      stopped: Stopped | null;
      /** Whether this person may control, or only look and stop. */
      mayControl: boolean;
      /** The recording that is being made now. */
      recording: Recording | null;
      nowMs: number;
    }
  | { type: "renewed"; nowMs: number }
  | { type: "devices"; changed: Device[]; removed: string[] }
  | { type: "values"; nowMs: number; batches: WireBatch[] }
  /** `reset`: they replace those that the page has. It comes when lines are switched on, and when a replay begins, jumps or ends. */
  | { type: "lines"; lines: DeviceLine[]; dropped: number; reset?: true }
  /** The answer to take, arm, disarm, command, stop and clear. `stage` accepted: the device has it; it is not there yet. */
  | { type: "ack"; id: number; stage: "accepted" | "reached"; ack: Ack; devices?: Record<string, Ack> }
  | { type: "stopped"; stopped: Stopped | null }
  /** A recording began, grew (about once per second), ended, was renamed or removed. */
  | { type: "recording"; recording: Recording }
  | { type: "recording-removed"; id: string }
  /**
   * The answer to replay and live, and again whenever the replay's clock changes by itself (at its end, or in a loop). Null:
   * the page is live. `devices`: these replace all that the page has, when a replay begins or ends.
   */
  | { type: "replay"; id?: number; replay: Replay | null; devices?: Device[] }
  /** `name`: of the device. `stop`: the bytes by which the page stops it, should the hub not be able to. */
  | { type: "serial-opened"; id: number; name: string; stop: string }
  | { type: "serial"; port: number; data: string }
  | { type: "serial-ended"; port: number; reason: string }
  | { type: "refused"; id?: number; code: string; detail: string };
