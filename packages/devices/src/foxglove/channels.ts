import type { Capability, Device, DeviceLine, Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";

/** What is advertised: a capability of a device, or the log. `key` is the same as long as it is the same channel. */
export type FoxgloveChannel = {
  key: string;
  topic: string;
  encoding: "json";
  schemaName: string;
  schemaEncoding: "jsonschema";
  schema: string;
};

/** Tools build messages from the schema: an array needs a type of its items. */
const TYPES: Readonly<Record<Field["datatype"], JsonObject>> = {
  number: { type: "number" },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  text: { type: "string" },
  list: { type: "array", items: { type: "number" } },
  object: { type: "object", properties: {} },
};

const schemaOf = ({ fields, name, kind }: Capability): string =>
  JSON.stringify({
    ...{ type: "object", title: name ?? kind },
    properties: Object.fromEntries(
      Object.entries(fields).map(([field, { datatype, unit }]) => [
        field,
        { ...TYPES[datatype], ...(unit === undefined ? {} : { description: unit }) },
      ]),
    ),
  });

/** The topics of a device: `/motor-1/motor`. A schema has the name of one channel, because tools know one schema by a name. */
export const channelOf = (device: Device, capability: Capability): FoxgloveChannel => ({
  ...{ key: `${device.id}/${capability.id}`, topic: `/${device.id}/${capability.id}`, encoding: "json" },
  ...{ schemaName: `${device.id}.${capability.id}`, schemaEncoding: "jsonschema", schema: schemaOf(capability) },
});

export const channelsOf = (device: Device): FoxgloveChannel[] =>
  device.capabilities.map((capability) => channelOf(device, capability));

/** The fields that a schema was made from, as far as it says. */
export function fieldsOf(schema: string): Record<string, Pick<Field, "datatype" | "unit">> {
  const { properties } = JSON.parse(schema) as { properties: Record<string, { type: string; description?: string }> };
  const datatypes = Object.entries(TYPES) as [Field["datatype"], { type: string }][];
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type, description: unit }]) => {
      const datatype = datatypes.find(([, known]) => known.type === type)?.[0] ?? "text";
      return [name, unit === undefined ? { datatype } : { datatype, unit }];
    }),
  );
}

/** Of a time in messages of tools. */
export const TIME_SCHEMA = {
  type: "object",
  title: "time",
  properties: { sec: { type: "integer" }, nsec: { type: "integer" } },
};

/** By the schema that tools show in a log panel. */
export const LOG_CHANNEL: FoxgloveChannel = {
  ...{ key: "log", topic: "/log", encoding: "json", schemaName: "foxglove.Log", schemaEncoding: "jsonschema" },
  schema: JSON.stringify({
    ...{ type: "object", title: "foxglove.Log" },
    properties: {
      ...{ timestamp: TIME_SCHEMA, level: { type: "integer" }, message: { type: "string" } },
      ...{ name: { type: "string" }, file: { type: "string" }, line: { type: "integer" } },
    },
  }),
};

const LEVELS: Readonly<Record<string, number>> = {
  ...{ debug: 1, info: 2, notice: 2, warn: 3, warning: 3, error: 4, critical: 5, fatal: 5 },
};

/** As `foxglove.Log` has it; 0: unknown. */
export const levelNumber = (level: string): number => LEVELS[level.toLowerCase()] ?? 0;

const MS = 1_000;
const NS_PER_MS = 1_000_000;

export const logMessage = ({ tMs, device, level, source, text }: DeviceLine): JsonObject => ({
  timestamp: { sec: Math.floor(tMs / MS), nsec: Math.floor((tMs % MS) * NS_PER_MS) },
  ...{ level: levelNumber(level), message: text, name: device, file: source, line: 0 },
});
