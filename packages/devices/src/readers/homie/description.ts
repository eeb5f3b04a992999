import {
  type Capability,
  type Command,
  DEVICES_LIMITS,
  EFFECTS,
  type Effect,
  type Field,
} from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { effectOfKind } from "../effects.ts";
import { isObject, numberOf, own, readJson, readObject, textOf } from "../json.ts";
import { type Measure, measureOf, unitOfField } from "../units.ts";

/** A property with a value of its own, other than `sample`, `command` and `ack`. */
export type Property = {
  id: string;
  datatype: HomieDatatype;
  measure: Measure;
  isSettable: boolean;
  /** Of an enum. */
  labels?: string[];
};

export type Node = { capability: Capability; properties: ReadonlyMap<string, Property>; hasCommand: boolean };

export type Description = {
  name?: string;
  maker?: string;
  model?: string;
  firmware?: string;
  nodes: ReadonlyMap<string, Node>;
};

const HOMIE_DATATYPES = [
  "integer",
  "float",
  "boolean",
  "string",
  "enum",
  "color",
  "datetime",
  "duration",
  "json",
] as const;
export type HomieDatatype = (typeof HOMIE_DATATYPES)[number];

const ID = /^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,63}$/;
/** What a device with samples, commands and answers uses for them. */
const RESERVED = new Set(["sample", "command", "ack"]);

export type ReadDescription = { ok: true; description: Description } | { ok: false; why: string };

/** `$description` of Homie 5. What is wrong in a node is left out; what is wrong as a whole is refused. Pure. */
export function readDescription(payload: Buffer | string): ReadDescription {
  const read = readObject(payload);
  if (!read.ok) return { ok: false, why: `$description cannot be used: ${read.why}` };
  const { value } = read;
  const homie = textOf(own(value, "homie"));
  if (homie !== undefined && !homie.startsWith("5")) {
    return { ok: false, why: `$description is of Homie ${homie.slice(0, 20)}: only Homie 5 is read` };
  }
  const given = own(value, "nodes");
  if (given !== undefined && !isObject(given)) return { ok: false, why: "nodes of $description is not an object" };
  const nodes = new Map<string, Node>();
  for (const [id, node] of Object.entries(given ?? {}).slice(0, DEVICES_LIMITS.maxCapabilities)) {
    if (ID.test(id) && isObject(node)) nodes.set(id, readNode(id, node));
  }
  return { ok: true, description: { ...about(value), nodes } };
}

function about(value: JsonObject): Omit<Description, "nodes"> {
  const texts = { name: "name", maker: "x-maker", model: "x-model", firmware: "x-firmware" } as const;
  const read = Object.entries(texts).map(([key, name]) => [key, textOf(own(value, name))] as const);
  return Object.fromEntries(read.filter(([, text]) => text !== undefined));
}

function readNode(id: string, node: JsonObject): Node {
  const kind = textOf(own(node, "type"))?.slice(0, DEVICES_LIMITS.maxIdLength) || "properties";
  const name = textOf(own(node, "name"));
  const given = own(node, "properties");
  const all = isObject(given) ? Object.entries(given).filter(([key, one]) => ID.test(key) && isObject(one)) : [];
  const fields: Record<string, Field> = {};
  const commands: Record<string, Command> = {};
  const properties = new Map<string, Property>();
  let hasCommand = false;
  for (const [key, one] of all.slice(0, DEVICES_LIMITS.maxFields)) {
    const property = one as JsonObject;
    if (key === "sample") Object.assign(fields, sampleFields(property));
    else if (key === "command" && own(property, "settable") === true) {
      Object.assign(commands, declaredCommands(property));
      hasCommand = true;
    } else if (!RESERVED.has(key)) readProperty(key, property, { kind, fields, commands, properties });
  }
  const capability = { id, kind, ...(name === undefined ? {} : { name }), fields, commands };
  return { capability, properties, hasCommand };
}

/** `format` of `sample`: a JSON Schema whose properties are the fields. */
function sampleFields(property: JsonObject): Record<string, Field> {
  const schema = schemaOf(property);
  const given = own(schema, "properties");
  if (!isObject(given)) return {};
  const entries = Object.entries(given).slice(0, DEVICES_LIMITS.maxFields);
  return Object.fromEntries(entries.flatMap(([name, field]) => (ID.test(name) ? [[name, fieldOf(name, field)]] : [])));
}

const FIELD_TYPES = {
  number: "number",
  integer: "integer",
  boolean: "boolean",
  string: "text",
  array: "list",
} as const;

function fieldOf(name: string, schema: unknown): Field {
  const type = textOf(own(schema, "type")) ?? "";
  const unit = textOf(own(schema, "x-unit")) ?? textOf(own(schema, "unit")) ?? unitOfField(name);
  const min = numberOf(own(schema, "minimum"));
  const max = numberOf(own(schema, "maximum"));
  const labels = own(schema, "enum");
  const isKnown = Object.hasOwn(FIELD_TYPES, type);
  return {
    datatype: isKnown ? FIELD_TYPES[type as keyof typeof FIELD_TYPES] : "object",
    ...(unit === undefined ? {} : { unit: unit.slice(0, DEVICES_LIMITS.maxUnitLength) }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(Array.isArray(labels) ? { labels: labels.map(String).slice(0, DEVICES_LIMITS.maxFields) } : {}),
    ...(isKnown || type === "object" ? {} : { isRaw: true }),
  };
}

function schemaOf(property: JsonObject): unknown {
  const format = own(property, "format");
  if (typeof format !== "string") return format;
  const read = readJson(format);
  return read.ok ? read.value : undefined;
}

/** `format` of `command`: `oneOf` with one entry per command. Without `x-effect`, the worst is assumed. */
function declaredCommands(property: JsonObject): Record<string, Command> {
  const given = own(schemaOf(property), "oneOf");
  if (!Array.isArray(given)) return {};
  const commands: Record<string, Command> = {};
  for (const entry of given.slice(0, DEVICES_LIMITS.maxCommands)) {
    const properties = own(entry, "properties");
    const name = textOf(own(own(properties, "name"), "const"));
    if (name === undefined || !ID.test(name)) continue;
    const params = own(properties, "params");
    commands[name] = {
      params: isObject(params) ? params : { type: "object" },
      effect: effectOf(own(entry, "x-effect")) ?? "moves",
    };
  }
  return commands;
}

const effectOf = (value: unknown): Effect | undefined => EFFECTS.find((effect) => effect === value);

type Into = {
  kind: string;
  fields: Record<string, Field>;
  commands: Record<string, Command>;
  properties: Map<string, Property>;
};

/** A plain property is a field, and if it is settable a command of its name with one parameter, `value`. */
function readProperty(id: string, given: JsonObject, { kind, fields, commands, properties }: Into): void {
  const datatype = HOMIE_DATATYPES.find((known) => known === own(given, "datatype")) ?? "string";
  const isNumber = datatype === "integer" || datatype === "float";
  const measure = measureOf(id, isNumber ? textOf(own(given, "unit")) : undefined);
  const format = textOf(own(given, "format"));
  const labels = datatype === "enum" ? format?.split(",").slice(0, DEVICES_LIMITS.maxFields) : undefined;
  const isSettable = own(given, "settable") === true;
  const limits = isNumber ? limitsOf(format, measure) : {};
  properties.set(id, { id, datatype, measure, isSettable, ...(labels ? { labels } : {}) });
  fields[measure.field] = {
    datatype: FIELD_OF[datatype],
    ...(measure.unit === undefined ? {} : { unit: measure.unit }),
    ...limits,
    ...(labels ? { labels } : {}),
  };
  if (!isSettable) return;
  const value = {
    type: SCHEMA_OF[datatype],
    ...(limits.min === undefined ? {} : { minimum: limits.min }),
    ...(limits.max === undefined ? {} : { maximum: limits.max }),
    ...(labels ? { enum: labels } : {}),
  };
  commands[id] = {
    params: { type: "object", properties: { value }, required: ["value"], additionalProperties: false },
    effect: effectOf(own(given, "x-effect")) ?? effectOfKind(kind),
  };
}

const FIELD_OF: Readonly<Record<HomieDatatype, Field["datatype"]>> = {
  ...{ integer: "integer", float: "number", boolean: "boolean", string: "text", enum: "text" },
  ...{ color: "text", datetime: "text", duration: "text", json: "object" },
};
const SCHEMA_OF = {
  ...{ integer: "integer", float: "number", boolean: "boolean", string: "string", enum: "string" },
  ...{ color: "string", datetime: "string", duration: "string", json: "object" },
} as const;

/** `min:max:step`, each of which may be missing. */
function limitsOf(format: string | undefined, { convert }: Measure): { min?: number; max?: number } {
  const [min, max] = (format ?? "").split(":").map((text) => (text.trim() === "" ? undefined : Number(text)));
  const isGiven = (value: number | undefined): value is number => value !== undefined && Number.isFinite(value);
  return { ...(isGiven(min) ? { min: convert(min) } : {}), ...(isGiven(max) ? { max: convert(max) } : {}) };
}
