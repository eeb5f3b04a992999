import { createHash } from "node:crypto";
import type { Capability, Command, Devices } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import type { WorkspaceCalls, WorkspaceTool } from "@backplane/kit/mcp";
import { Problem } from "@backplane/kit/problems";
import { Type } from "typebox";

/** How long one call may keep something moving. */
const MAX_FOR_MS = 10_000;
export const FOR_MS = Type.Integer({
  ...{ minimum: 0, maximum: MAX_FOR_MS, description: "How long something should move" },
});

/** A model reads all of them before each answer; device_command reaches what is left out. */
export const MAX_COMMAND_TOOLS = 64;
/** What clients accept as a name. */
const MAX_NAME = 64;
const MAX_SCHEMA_BYTES = 4_096;
const MAX_CHOICES = 64;
const MAX_DEPTH = 3;

export type CommandOf = { device: string; capability: string; name: string };
type Sent = { params: JsonObject; forMs?: number };
type MakeRun = (of: CommandOf) => {
  run(workspace: WorkspaceCalls, input: Sent, signal: AbortSignal): Promise<unknown>;
};

/**
 * Each command of each device as a tool of its own, whose input is what the device declared: limits, units and choices. The
 * order and the names depend on ids alone, so that a tool has the same name whatever else is in the workspace.
 */
export function commandTools({ devices }: Pick<Devices, "devices">, make: MakeRun): WorkspaceTool[] {
  return commandsOf(devices)
    .take(MAX_COMMAND_TOOLS)
    .map(({ device, capability, name, command }) => {
      const of = { device, capability: capability.id, name };
      return toolOf(of, capability, command, make(of).run);
    })
    .toArray();
}

/** One after the other: devices may have very many more commands than there are tools. */
function* commandsOf(devices: Devices["devices"]) {
  for (const { id: device, capabilities } of devices.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    for (const capability of capabilities) {
      for (const name of Object.keys(capability.commands)) {
        const command = capability.commands[name];
        if (command) yield { device, capability, name, command };
      }
    }
  }
}

/** `do_rover_motor_velocity`; where that is too long, or another command could have the same, with a part of a hash. */
export function toolName({ device, capability, name }: CommandOf): string {
  const plain = `do_${device}_${capability}_${name}`;
  // What ends as a hash could be made to be the name of another command.
  const isPlain = [device, capability].every((part) => /^[a-zA-Z0-9-]+$/.test(part)) && !/_[0-9a-f]{8}$/.test(plain);
  const safe = plain.replaceAll(/[^a-zA-Z0-9_-]/g, "-");
  if (isPlain && safe === plain && plain.length <= MAX_NAME) return plain;
  const hash = createHash("sha256")
    .update(JSON.stringify([device, capability, name]))
    .digest("hex")
    .slice(0, 8);
  return `${safe.slice(0, MAX_NAME - 9)}_${hash}`;
}

const NEEDS: Record<Command["effect"], string> = {
  none: "It needs no control.",
  changes: "It needs no control.",
  powers: "It powers something: call device_take with arm first.",
  moves:
    "It moves something: call device_take with arm first. It stops 300 ms after the last command; forMs sends it again for that long.",
};

function toolOf(
  of: CommandOf,
  capability: Capability,
  { params, effect }: Command,
  run: ReturnType<MakeRun>["run"],
): WorkspaceTool {
  const declared = inputOf(params, capability);
  const hasForMs = effect === "moves" && !Object.hasOwn(declared.properties, "forMs");
  const properties = { ...declared.properties, ...(hasForMs ? { forMs: { ...FOR_MS } } : {}) };
  return {
    name: toolName(of),
    title: `${of.device}: ${of.name}`,
    description: `Sends the command ${of.name} to ${of.capability} (${kindWords(capability)}) of the device ${of.device}, and returns its answer. ${NEEDS[effect]}`,
    input: { ...declared, properties } as unknown as WorkspaceTool["input"],
    readOnly: false,
    destructive: effect === "moves" || effect === "powers",
    async run(workspace, given, signal) {
      if (!isObject(given ?? {})) throw new Problem("invalid-input", { detail: "The input is not an object." });
      const { forMs, ...rest } = { ...((given ?? {}) as JsonObject) };
      if (!hasForMs) return run(workspace, { params: (given ?? {}) as JsonObject }, signal);
      const isTime =
        forMs === undefined || (Number.isInteger(forMs) && Number(forMs) >= 0 && Number(forMs) <= MAX_FOR_MS);
      if (!isTime) {
        const message = `is not a whole number from 0 to ${MAX_FOR_MS}`;
        throw new Problem("invalid-input", { errors: [{ pointer: "/forMs", message }] });
      }
      // The hub checks the rest by what the device declared: nothing of a device's schema runs here.
      return run(workspace, { params: rest, ...(forMs === undefined ? {} : { forMs: Number(forMs) }) }, signal);
    },
  };
}

/** Kinds are text of the device. */
const kindWords = ({ kind }: Capability): string => (/^[a-z0-9-]{1,40}$/.test(kind) ? kind : "of another kind");

type Input = {
  type: "object";
  properties: Record<string, JsonObject>;
  required?: string[];
  additionalProperties: boolean;
};

function inputOf(params: JsonObject, { fields }: Capability): Input {
  const declared = isObject(params.properties) ? params.properties : {};
  const properties: Record<string, JsonObject> = {};
  for (const [name, schema] of Object.entries(declared)) {
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) continue;
    const unit = Object.hasOwn(fields, name) ? fields[name]?.unit : undefined;
    const isUnit = unit !== undefined && /^[^\s"'`<>{}]{1,12}$/u.test(unit);
    properties[name] = { ...structureOf(schema, 0), ...(isUnit ? { description: `In ${unit}` } : {}) };
  }
  const required = (Array.isArray(params.required) ? params.required : []).filter(
    (name): name is string => typeof name === "string" && Object.hasOwn(properties, name),
  );
  const input: Input = { type: "object", properties, required, additionalProperties: false };
  // Larger ones are checked by the hub all the same.
  return JSON.stringify(input).length <= MAX_SCHEMA_BYTES
    ? input
    : { type: "object", properties: {}, additionalProperties: true };
}

const TYPES: ReadonlySet<unknown> = new Set(["number", "integer", "boolean", "string", "array", "object", "null"]);
const NUMBERS = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minItems", "maxItems", "minLength", "maxLength"],
];

/** Types, limits and choices. No text of the device: a model would read it as if we had written it. */
function structureOf(schema: JsonData | undefined, depth: number): JsonObject {
  if (!isObject(schema) || depth > MAX_DEPTH) return {};
  const kept: JsonObject = {};
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (schema.type !== undefined && types.every((type) => TYPES.has(type))) kept.type = schema.type;
  for (const name of NUMBERS) if (typeof schema[name] === "number") kept[name] = schema[name];
  if (Array.isArray(schema.enum) && schema.enum.length <= MAX_CHOICES && schema.enum.every(isChoice))
    kept.enum = schema.enum;
  if (schema.items !== undefined) kept.items = structureOf(schema.items, depth + 1);
  if (isObject(schema.properties)) {
    const inner = Object.entries(schema.properties).filter(([name]) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name));
    kept.properties = Object.fromEntries(inner.map(([name, one]) => [name, structureOf(one, depth + 1)]));
  }
  return kept;
}

const isChoice = (value: JsonData): boolean =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  value === null ||
  (typeof value === "string" && /^[\p{L}\p{N} _.:/+-]{1,40}$/u.test(value));

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
