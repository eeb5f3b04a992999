import { type Static, Type } from "typebox";
import { JSON_DATA, type JsonData, type JsonObject } from "../panels/common.ts";
import { DEVICES_LIMITS } from "./limits.ts";

/** Values at one time. `tMs`: by the hub's clock, epoch ms; `deviceTMs`: by the device's own. */
export type Sample = {
  device: string;
  capability: string;
  tMs: number;
  deviceTMs?: number;
  values: JsonObject;
  /** From a time that nobody knows, before Backplane listened: shown, not kept in the history. */
  isRecalled?: true;
};

/**
 * Values of one channel as columns: `fields[name][i]` was measured at `tMs[i]`. Null: no value at that time. Thinned:
 * every 100 ms has only its lowest and highest values. Nothing is missing and nothing is doubled between the batches of a subscription.
 */
export type Batch = {
  tMs: number[];
  fields: Record<string, (JsonData | null)[]>;
  thinned: boolean;
};

/** GET …/devices/{device}/{capability} */
export const LastValue = Type.Object({
  at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
  fields: Type.Record(Type.String(), JSON_DATA),
  ageMs: Type.Union([Type.Number(), Type.Null()]),
});
export type LastValue = { at: string | null; fields: JsonObject; ageMs: number | null };

/**
 * GET …/devices/{device}/{capability}/wait. With `field`: until it is above, below or equal to something; otherwise until
 * the next sample.
 */
export const WaitQuery = Type.Object({
  field: Type.Optional(Type.String({ maxLength: DEVICES_LIMITS.maxIdLength })),
  above: Type.Optional(Type.Number()),
  below: Type.Optional(Type.Number()),
  equals: Type.Optional(
    Type.String({
      maxLength: DEVICES_LIMITS.maxTextLength,
      description: "The value as text, such as 20, true or open",
    }),
  ),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 0, maximum: DEVICES_LIMITS.maxWaitMs })),
});
export type WaitQuery = Static<typeof WaitQuery>;

/** `reached`: the sample is what was waited for. Otherwise the time is over, and it is the last one. */
export const Waited = Type.Object({ reached: Type.Boolean(), ...LastValue.properties });
export type Waited = LastValue & { reached: boolean };

/** `from` and `to`: ISO times, or epoch ms. */
export const HistoryQuery = Type.Object({
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  points: Type.Optional(Type.Integer({ minimum: 1, maximum: DEVICES_LIMITS.maxHistoryPoints })),
  fields: Type.Optional(
    Type.String({ pattern: "^[\\w.,-]*$", description: "Names, with commas between them; all numbers unless given" }),
  ),
  format: Type.Optional(Type.Enum(["json", "csv"])),
});
export type HistoryQuery = Static<typeof HistoryQuery>;

/** `sizeMs` 0: samples as they came. Otherwise each point stands for this long, with lowest, highest, mean and last value. */
export const History = Type.Object({
  sizeMs: Type.Integer(),
  tMs: Type.Array(Type.Number()),
  fields: Type.Record(
    Type.String(),
    Type.Object({
      min: Type.Array(Type.Union([Type.Number(), Type.Null()])),
      max: Type.Array(Type.Union([Type.Number(), Type.Null()])),
      mean: Type.Array(Type.Union([Type.Number(), Type.Null()])),
      last: Type.Array(Type.Union([Type.Number(), Type.Null()])),
    }),
  ),
});
export type History = Static<typeof History>;

/** GET …/devices/events */
export const EventsQuery = Type.Object({
  device: Type.Optional(Type.String()),
  capability: Type.Optional(Type.String()),
  rateHz: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 60 })),
  recording: Type.Optional(Type.String({ description: "Replays this recording, to its end" })),
  at: Type.Optional(Type.String({ description: "Where the replay begins: an ISO time, or epoch ms" })),
  speed: Type.Optional(Type.Number({ minimum: DEVICES_LIMITS.minSpeed, maximum: DEVICES_LIMITS.maxSpeed })),
});

export type EventsQuery = Static<typeof EventsQuery>;

/** A line that a robot said. */
export type DeviceLine = {
  tMs: number;
  device: string;
  level: string;
  source: string;
  text: string;
  fields?: JsonObject;
};
