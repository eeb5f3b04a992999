import type { Capability, Device, DeviceLine, Sample } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { channelOf, LOG_CHANNEL, logMessage } from "../foxglove/channels.ts";

/** Topics of devices have two parts. */
export const DEVICES_TOPIC = "/devices";
export const LINES_TOPIC = LOG_CHANNEL.topic;
export const CONTROL_TOPIC = "/control";

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

/** A capability, described as to tools that look at it live. */
export function sampleChannel(device: Device, capability: Capability): ChannelDescription {
  const { topic, schemaName, schema } = channelOf(device, capability);
  const metadata = new Map([
    ["device", device.id],
    ["device_name", device.name],
    ["capability", capability.id],
    ["kind", capability.kind],
  ]);
  for (const [field, { unit }] of Object.entries(capability.fields))
    if (unit !== undefined) metadata.set(`unit.${field}`, unit);
  return { topic, schema: { name: schemaName, data: Buffer.from(schema) }, metadata };
}

const TEXT = { type: "string" };

function ownChannel(topic: string, name: string, properties: JsonObject): ChannelDescription {
  const data = Buffer.from(JSON.stringify({ type: "object", title: name, properties }));
  return { topic, schema: { name, data }, metadata: new Map() };
}

/** The other channels of every recording. */
export const OWN_CHANNELS: Readonly<Record<"devices" | "lines" | "control", ChannelDescription>> = {
  devices: ownChannel(DEVICES_TOPIC, "backplane.Device", { id: TEXT, device: { type: "object", properties: {} } }),
  lines: {
    topic: LINES_TOPIC,
    schema: { name: LOG_CHANNEL.schemaName, data: Buffer.from(LOG_CHANNEL.schema) },
    metadata: new Map(),
  },
  control: ownChannel(CONTROL_TOPIC, "backplane.Control", { level: TEXT, text: TEXT }),
};

/** What `foxglove.Log` has no place for. */
type More = { level_name: string; fields?: JsonObject };

export const writtenLine = (line: DeviceLine): object => ({
  ...logMessage(line),
  ...({ level_name: line.level, ...(line.fields ? { fields: line.fields } : {}) } satisfies More),
});

export function readLine(tMs: number, written: unknown): DeviceLine {
  const { message, name, file, level_name, fields } = written as More & { message: string; name: string; file: string };
  return { tMs, device: name, level: level_name, source: file, text: message, ...(fields ? { fields } : {}) };
}
