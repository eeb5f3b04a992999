import { type Static, Type } from "typebox";
import { PLAIN_TEXT_PATTERN } from "../accounts.ts";
import { DEVICE_ID } from "./device.ts";
import { DEVICES_LIMITS } from "./limits.ts";

/** `cut`: the process ended while it was recording; what was written until then is there. */
const RECORDING_STATES = ["recording", "whole", "cut"] as const;
const RecordingState = Type.Enum(RECORDING_STATES);

/** A field drawn small: `points` are from 0 (`low`) to 100 (`high`); null: nothing was measured at that time. */
export const RecordingPreview = Type.Object({
  device: Type.String(),
  capability: Type.String(),
  field: Type.String(),
  low: Type.Number(),
  high: Type.Number(),
  points: Type.Array(Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Null()])),
});
export type RecordingPreview = Static<typeof RecordingPreview>;

export const RecordedChannel = Type.Object({
  device: Type.String(),
  capability: Type.String(),
  kind: Type.String(),
  messages: Type.Integer(),
});
export type RecordedChannel = Static<typeof RecordedChannel>;

/** A line of a device at warn and above, a stop, or a command that was refused. */
export const RecordingMark = Type.Object({
  tMs: Type.Number(),
  level: Type.String(),
  text: Type.String(),
});
export type RecordingMark = Static<typeof RecordingMark>;

const RECORDING_FIELDS = {
  id: Type.String(),
  name: Type.String(),
  state: RecordingState,
  /** Who asked for it. */
  by: Type.String(),
  start: Type.String({ format: "date-time" }),
  end: Type.String({ format: "date-time", description: "While it is recording: when it was last written to" }),
  bytes: Type.Integer(),
  messages: Type.Integer(),
  channels: Type.Integer({ description: "Capabilities of devices of which something was recorded" }),
  reason: Type.Optional(Type.String({ description: "Why it ended, if not because somebody asked" })),
  preview: Type.Array(RecordingPreview),
};

/** An MCAP file of what the devices of a workspace measured, said and were told. */
export const Recording = Type.Object(RECORDING_FIELDS);
export type Recording = Static<typeof Recording>;

/** GET …/recordings/{id}. `gaps`: times in which no device sent anything, as [from, to] in epoch ms. */
export const RecordingDetails = Type.Object({
  ...RECORDING_FIELDS,
  recorded: Type.Array(RecordedChannel),
  lines: Type.Integer({ description: "Lines that devices said" }),
  marks: Type.Array(RecordingMark),
  gaps: Type.Array(Type.Tuple([Type.Number(), Type.Number()]), { examples: [[[1785249000000, 1785249012000]]] }),
});
export type RecordingDetails = Static<typeof RecordingDetails>;

/** GET …/recordings: newest first. */
export const Recordings = Type.Object({
  recordings: Type.Array(Recording),
  bytes: Type.Integer({ description: "Of all of them" }),
  maxBytes: Type.Integer({ description: "What the recordings of a workspace may have together" }),
  keptMs: Type.Integer({ description: "How far back a recording can begin" }),
});
export type Recordings = Static<typeof Recordings>;

const RECORDING_NAME = Type.String({
  ...{ minLength: 1, maxLength: DEVICES_LIMITS.maxRecordingName, pattern: PLAIN_TEXT_PATTERN },
});

/** POST …/recordings. One recording at a time; `keep` also works while one is running. */
export const NewRecording = Type.Object(
  {
    name: Type.Optional(RECORDING_NAME),
    devices: Type.Optional(
      Type.Array(DEVICE_ID, {
        minItems: 1,
        maxItems: DEVICES_LIMITS.maxDevices,
        description: "All devices of the workspace unless given",
      }),
    ),
    lastMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: DEVICES_LIMITS.keptMs,
        description: "It begins this long ago, with what is still in memory",
      }),
    ),
    keep: Type.Optional(
      Type.Boolean({ description: "Save what is in memory, the last 10 minutes or `lastMs`, and end at once" }),
    ),
  },
  { examples: [{ name: "Brown-out at take-off", lastMs: 60_000, keep: true }] },
);
export type NewRecording = Static<typeof NewRecording>;

/** PATCH …/recordings/{id} */
export const ChangeRecording = Type.Object(
  {
    name: Type.Optional(RECORDING_NAME),
    state: Type.Optional(Type.Literal("stopped")),
  },
  { examples: [{ state: "stopped" }] },
);
export type ChangeRecording = Static<typeof ChangeRecording>;

const CHANNEL_QUERY = { device: Type.Optional(DEVICE_ID), capability: Type.Optional(DEVICE_ID) };

/**
 * GET …/recordings/{id}.csv and .parquet. With device and capability: one row per sample, one column per field. Otherwise
 * one row per value, with device, capability and field.
 */
export const RecordingExportQuery = Type.Object({
  ...CHANNEL_QUERY,
  from: Type.Optional(Type.String({ description: "An ISO time, or epoch ms" })),
  to: Type.Optional(Type.String()),
});
export type RecordingExportQuery = Static<typeof RecordingExportQuery>;

/**
 * What a page replays: all its panels show this time, those of other pages do not. `recording` null: what the hub has in
 * memory, the last 10 minutes before it began. `atMs` was shown at `sinceMs` of the hub's clock, and has gone on at `speed`
 * since then; 0: paused. It ends paused at `endMs`, unless it is a `loop`.
 */
export type Replay = {
  recording: string | null;
  name: string | null;
  startMs: number;
  endMs: number;
  atMs: number;
  sinceMs: number;
  speed: number;
  loop: boolean;
  marks: RecordingMark[];
  gaps: [number, number][];
};
