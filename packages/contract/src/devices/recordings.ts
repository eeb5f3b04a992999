import { type Static, Type } from "typebox";

/** `cut`: the process ended while it was recording; what was written until then is there. */
const RECORDING_STATES = ["recording", "whole", "cut"] as const;

export const Recording = Type.Object({
  id: Type.String(),
  name: Type.String(),
  state: Type.Enum(RECORDING_STATES),
  start: Type.String({ format: "date-time" }),
  end: Type.String({ format: "date-time" }),
  bytes: Type.Integer(),
  messages: Type.Integer(),
  channels: Type.Array(Type.String({ description: "Device and capability, with / between them" })),
  /** Why it ended, if not because somebody asked. */
  reason: Type.Optional(Type.String()),
});
export type Recording = Static<typeof Recording>;

/** All panels of the workspace show this time. `atMs` was shown at `sinceMs` of the hub's clock, and went on at `speed`; 0: paused. */
export type Replay = {
  recording: string | null;
  startMs: number;
  endMs: number;
  atMs: number;
  sinceMs: number;
  speed: number;
};
