import type { Capability, Device, DeviceLine, Field, Sample } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { nsOf } from "./times.ts";

/** Ids of devices have no `$`, so that no device can have these. */
export const DEVICES_TOPIC = "/$devices";
export const LINES_TOPIC = "/$log";
const CONTROL_TOPIC = "/$control";

export const topicOf = ({ device, capability }: Pick<Sample, "device" | "capability">): string =>
  `/${device}/${capability}`;

/** A device as it was from this time on; null: it was removed. */
export type DeviceChange = { tMs: number; id: string; device: Device | null };

/** What somebody told the devices, what was answered, and what the safety rules did. */
export type ControlEvent = { tMs: number; level: string; text: string } & JsonObject;

export type ChannelDescription = {
  topic: string;
  schema: { name: string; data: Uint8Array };
  metadata: Map<string, string>;
};

const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

const TYPE_OF: Readonly<Record<Field["datatype"], string>> = {
  ...{ number: "number", integer: "integer", boolean: "boolean", text: "string", list: "array", object: "object" },
};

/** A capability as other tools read it: a JSON Schema of its fields, with their units. */
export function sampleChannel(device: Device, { id, kind, name, fields }: Capability): ChannelDescription {
  const properties: JsonObject = {};
  const metadata = new Map([
    ["device", device.id],
    ["device_name", device.name],
    ["capability", id],
    ["kind", kind],
  ]);
  if (name !== undefined) metadata.set("name", name);
  for (const [field, { datatype, unit, min, max, labels }] of Object.entries(fields)) {
    properties[field] = {
      type: TYPE_OF[datatype],
      ...(unit === undefined ? {} : { "x-unit": unit }),
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
      ...(labels === undefined ? {} : { enum: labels }),
    };
    if (unit !== undefined) metadata.set(`unit.${field}`, unit);
  }
  const schema = { name: `backplane.${kind}`, data: bytesOf({ type: "object", title: kind, properties }) };
  return { topic: topicOf({ device: device.id, capability: id }), schema, metadata };
}

const OBJECT = { type: "object" };
const TEXT = { type: "string" };
const INTEGER = { type: "integer" };
const TIME = { type: "object", title: "time", properties: { sec: INTEGER, nsec: INTEGER } };

/** The other channels of every recording. Lines are as other tools know them. */
export const OWN_CHANNELS: Readonly<Record<"devices" | "lines" | "control", ChannelDescription>> = {
  devices: {
    topic: DEVICES_TOPIC,
    schema: {
      name: "backplane.Device",
      data: bytesOf({ type: "object", properties: { id: TEXT, device: OBJECT } }),
    },
    metadata: new Map(),
  },
  lines: {
    topic: LINES_TOPIC,
    schema: {
      name: "foxglove.Log",
      data: bytesOf({
        ...{ type: "object", title: "foxglove.Log" },
        properties: {
          ...{ timestamp: TIME, level: INTEGER, message: TEXT, name: TEXT, file: TEXT, line: INTEGER },
          ...{ device: TEXT, source: TEXT, level_name: TEXT, fields: OBJECT },
        },
      }),
    },
    metadata: new Map(),
  },
  control: {
    topic: CONTROL_TOPIC,
    schema: { name: "backplane.Control", data: bytesOf({ type: "object", properties: { level: TEXT, text: TEXT } }) },
    metadata: new Map(),
  },
};

const LEVEL_NUMBERS: Readonly<Record<string, number>> = {
  ...{ trace: 1, debug: 1, info: 2, notice: 2, warn: 3, warning: 3, error: 4, critical: 5, fatal: 5 },
};
const UNKNOWN_LEVEL = 0;

export const levelNumber = (level: string): number => LEVEL_NUMBERS[level.toLowerCase()] ?? UNKNOWN_LEVEL;

type RecordedLine = {
  message: string;
  device: string;
  source: string;
  level_name: string;
  fields?: JsonObject;
};

export function writtenLine({ tMs, device, level, source, text, fields }: DeviceLine): object {
  const ns = nsOf(tMs);
  return {
    timestamp: { sec: Number(ns / 1_000_000_000n), nsec: Number(ns % 1_000_000_000n) },
    ...{ level: levelNumber(level), message: text, name: `${device}/${source}`, file: "", line: 0 },
    ...({ device, source, level_name: level, ...(fields ? { fields } : {}) } satisfies Omit<RecordedLine, "message">),
  };
}

export function readLine(tMs: number, written: unknown): DeviceLine {
  const { message, device, source, level_name: level, fields } = written as RecordedLine;
  return { tMs, device, level, source, text: message, ...(fields ? { fields } : {}) };
}
