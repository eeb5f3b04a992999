import {
  type Capability,
  type Command,
  DATATYPES,
  DEVICES_LIMITS,
  EFFECTS,
  type Effect,
  type Field,
} from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import type { Declared } from "../services.ts";
import { cleanText } from "./text.ts";

const { maxIdLength, maxNameLength, maxUnitLength, maxTextLength } = DEVICES_LIMITS;
const { maxCapabilities, maxFields, maxCommands } = DEVICES_LIMITS;
const MAX_LABELS = 64;
const MAX_PARAMS_BYTES = 16_384;
const MAX_DEPTH = 12;

const ID = new RegExp(`^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,${maxIdLength - 1}}$`);
/** As a key of an object it would change the object itself. */
const FORBIDDEN = "__proto__";

export const isId = (value: unknown): value is string =>
  typeof value === "string" && value !== FORBIDDEN && ID.test(value);

export type Description = Pick<Declared, "id"> & {
  name: string;
  maker: string | undefined;
  model: string | undefined;
  firmware: string | undefined;
  capabilities: Map<string, Capability>;
};

/**
 * What a device says of itself, within the limits. What is beyond them, or cannot be read, is left out, and `faults` says
 * so. Undefined: the device itself cannot be addressed.
 */
export function checkDescription(declared: Declared): { description: Description; faults: string[] } | undefined {
  if (!isId(declared.id)) return undefined;
  const faults: string[] = [];
  const capabilities = new Map<string, Capability>();
  const listed: readonly unknown[] = Array.isArray(declared.capabilities) ? declared.capabilities : [];
  if (listed.length > maxCapabilities) faults.push(`It declares more than ${maxCapabilities} capabilities.`);
  for (const one of listed.slice(0, maxCapabilities)) {
    const capability = checkCapability(one, faults);
    if (!capability) faults.push("It declares a capability whose id cannot be used.");
    else if (capabilities.has(capability.id)) faults.push(`It declares the capability ${capability.id} twice.`);
    else capabilities.set(capability.id, capability);
  }
  const text = (value: unknown) => cleanText(value, maxNameLength) || undefined;
  return {
    description: {
      id: declared.id,
      name: text(declared.name) ?? declared.id,
      ...{ maker: text(declared.maker), model: text(declared.model), firmware: text(declared.firmware) },
      capabilities,
    },
    faults,
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function checkCapability(value: unknown, faults: string[]): Capability | undefined {
  if (!isObject(value) || !isId(value.id)) return undefined;
  const { id } = value;
  const name = cleanText(value.name, maxNameLength);
  return {
    id,
    kind: cleanText(value.kind, maxIdLength) || "raw",
    ...(name ? { name } : {}),
    fields: checkEach(value.fields, maxFields, checkField, (fault) => faults.push(`${id}: ${fault}`)),
    commands: checkEach(value.commands, maxCommands, checkCommand, (fault) => faults.push(`${id}: ${fault}`)),
  };
}

function checkEach<Checked>(
  value: unknown,
  max: number,
  check: (one: unknown) => Checked | undefined,
  onFault: (fault: string) => void,
): Record<string, Checked> {
  const checked: Record<string, Checked> = {};
  const entries = isObject(value) ? Object.entries(value) : [];
  if (entries.length > max) onFault(`It declares more than ${max} fields or commands.`);
  for (const [name, one] of entries.slice(0, max)) {
    const found = isId(name) ? check(one) : undefined;
    if (found) checked[name] = found;
    else onFault(`"${cleanText(name, maxIdLength)}" is declared in a way that cannot be read.`);
  }
  return checked;
}

const isFiniteNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

function checkField(value: unknown): Field | undefined {
  if (!isObject(value)) return undefined;
  const datatype = DATATYPES.find((known) => known === value.datatype);
  if (!datatype) return undefined;
  const unit = cleanText(value.unit, maxUnitLength);
  const labels = Array.isArray(value.labels) ? value.labels.slice(0, MAX_LABELS) : [];
  const texts = labels.flatMap((label) => cleanText(label, maxNameLength) ?? []);
  return {
    datatype,
    ...(unit ? { unit } : {}),
    ...(isFiniteNumber(value.min) ? { min: value.min } : {}),
    ...(isFiniteNumber(value.max) ? { max: value.max } : {}),
    ...(texts.length > 0 ? { labels: texts } : {}),
    ...(value.isRaw === true ? { isRaw: true } : {}),
  };
}

function checkCommand(value: unknown): Command | undefined {
  if (!isObject(value)) return undefined;
  const params = value.params ?? {};
  if (!isObject(params) || !isPlainJson(params, MAX_PARAMS_BYTES)) return undefined;
  // A command of which nobody knows what it can harm is treated like the worst.
  const effect: Effect = EFFECTS.find((known) => known === value.effect) ?? "moves";
  return { params: params as JsonObject, effect };
}

/** JSON of limited depth and size, without keys that would change the object that they are set on. */
export function isPlainJson(value: unknown, maxBytes: number): value is JsonData {
  let left = maxBytes;
  const walk = (one: unknown, depth: number): boolean => {
    left -= 2;
    if (left < 0 || depth > MAX_DEPTH) return false;
    if (one === null || typeof one === "boolean") return true;
    if (typeof one === "number") return Number.isFinite(one);
    if (typeof one === "string") {
      left -= one.length;
      return left >= 0 && one.length <= maxTextLength && one.isWellFormed();
    }
    if (Array.isArray(one)) return one.every((item) => walk(item, depth + 1));
    if (typeof one !== "object") return false;
    return Object.entries(one).every(([key, item]) => key !== FORBIDDEN && walk(key, depth) && walk(item, depth + 1));
  };
  return walk(value, 0);
}
