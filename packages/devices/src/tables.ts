/** Every table of the area. Times are epoch milliseconds. */
export type DevicesTables = {
  devices_keys: {
    id: string;
    workspace_id: string;
    name: string;
    /** SHA-256 of the key, in hex. */
    key_hash: string;
    /** The only device that it may be; null: the one that first uses it, or any for a gateway. */
    device: string | null;
    /** 1: it speaks for several devices. */
    gateway: number;
    created_at_ms: number;
    last_seen_at_ms: number | null;
  };
  /** A workspace whose devices are stopped has a row. */
  devices_stops: { workspace_id: string; stopped_by: string; at_ms: number };
  /** `settings`: JSON of what a workspace sets for a device. */
  devices_settings: { workspace_id: string; device: string; settings: string };
  /** A device, or several, that Backplane connects to. `settings`: JSON, of its kind. */
  devices_sources: { workspace_id: string; name: string; kind: string; settings: string; created_at_ms: number };
  /** A stream of pictures. `settings`: JSON, of its kind; `secrets`: JSON of those that are never shown again. */
  devices_streams: {
    workspace_id: string;
    name: string;
    kind: string;
    settings: string;
    secrets: string;
    created_at_ms: number;
  };
  /** A series of numbers: one field of one capability. */
  devices_channels: { id: number; workspace_id: string; device: string; capability: string; field: string };
  devices_buckets: {
    channel: number;
    /** Its length in seconds: 1, 60 or 3,600. */
    size_s: number;
    /** Its start in seconds since the epoch. */
    at_s: number;
    min: number;
    max: number;
    sum: number;
    n: number;
    last: number;
  };
  /** A recording is a file, `<id>.mcap` in the folder of its workspace. */
  devices_recordings: {
    id: string;
    workspace_id: string;
    name: string;
    state: "recording" | "whole" | "cut";
    recorded_by: string;
    start_ms: number;
    end_ms: number;
    bytes: number;
    /** JSON: what lists and the replay bar show of it. */
    summary: string;
    /** Why it ended, if nobody asked. */
    reason: string | null;
  };
};
