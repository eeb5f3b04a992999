import type { JsonData, JsonObject } from "./common.ts";

/**
 * The part of JSON Schema that panel.json may use for the state of a panel. Anybody writes it and the server checks by it, so it
 * has nothing that takes long: no patterns, no references, no alternatives.
 */
const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;
const COUNTS = ["maxItems", "maxLength"] as const;
const BOUNDS = ["minimum", "maximum"] as const;
const KEYS: readonly string[] = [
  ...["type", "properties", "required", "additionalProperties", "items", "enum"],
  ...["title", "description", "default", ...COUNTS, ...BOUNDS],
];
const MAX_DEPTH = 8;
/** Of `required` and `enum`: each entry of a list in the state is compared with all of them. */
const MAX_ENTRIES = 100;
/** What is wrong with a state, at most: more is not read by anybody, and could be very much. */
export const MAX_STATE_FAULTS = 20;
const MAX_SHOWN_LENGTH = 200;

export type StateFault = { pointer: string; message: string };

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What is wrong with the schema itself. */
export function stateSchemaFaults(schema: unknown, pointer = "", depth = 0): StateFault[] {
  if (!isObject(schema)) return [{ pointer, message: "must be an object" }];
  if (depth > MAX_DEPTH) return [{ pointer, message: `is nested deeper than ${MAX_DEPTH} levels` }];
  const faults: StateFault[] = [];
  const refuse = (key: string, message: string) => faults.push({ pointer: `${pointer}/${key}`, message });
  for (const key of Object.keys(schema))
    if (!KEYS.includes(key)) refuse(key, `is not a field here. There are ${KEYS.join(", ")}`);
  const { type, properties = {}, required = [], additionalProperties = true, items, enum: values } = schema;
  if (!TYPES.some((each) => each === type)) refuse("type", `must be one of ${TYPES.join(", ")}`);
  if (depth === 0 && type !== "object") refuse("type", 'must be "object"');
  if (!Array.isArray(required) || required.some((each) => typeof each !== "string"))
    refuse("required", "must be a list of names");
  if (typeof additionalProperties !== "boolean") refuse("additionalProperties", "must be true or false");
  if (values !== undefined && !Array.isArray(values)) refuse("enum", "must be a list");
  for (const [key, list] of Object.entries({ required, enum: values }))
    if (Array.isArray(list) && list.length > MAX_ENTRIES) refuse(key, `must have at most ${MAX_ENTRIES} entries`);
  for (const key of COUNTS)
    if (schema[key] !== undefined && !(Number.isSafeInteger(schema[key]) && Number(schema[key]) >= 0))
      refuse(key, "must be a whole number");
  for (const key of BOUNDS)
    if (schema[key] !== undefined && typeof schema[key] !== "number") refuse(key, "must be a number");
  if (!isObject(properties)) refuse("properties", "must be an object");
  else
    for (const [name, each] of Object.entries(properties))
      faults.push(...stateSchemaFaults(each, `${pointer}/properties/${name}`, depth + 1));
  if (items !== undefined) faults.push(...stateSchemaFaults(items, `${pointer}/items`, depth + 1));
  return faults;
}

const TYPE_CHECKS: Record<string, (value: JsonData) => boolean> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};

/** What is wrong with a state, by a schema without faults. */
export function stateFaults(schema: JsonObject, value: JsonData, pointer = ""): StateFault[] {
  const faults: StateFault[] = [];
  addFaults(faults, schema, value, pointer);
  return faults;
}

function addFaults(faults: StateFault[], schema: JsonObject, value: JsonData, pointer: string): void {
  const add = (message: string, at = pointer): void => {
    if (faults.length < MAX_STATE_FAULTS) faults.push({ pointer: at, message });
  };
  const message = faultOf(schema, value);
  if (message !== undefined) {
    add(message);
    return;
  }
  const { properties = {}, required = [], additionalProperties = true, items } = schema;
  const isFull = () => faults.length >= MAX_STATE_FAULTS;
  if (Array.isArray(value)) {
    if (!isObject(items)) return;
    for (let at = 0; at < value.length && !isFull(); at += 1)
      addFaults(faults, items, value[at] as JsonData, `${pointer}/${at}`);
  }
  if (!isObject(value)) return;
  for (const name of required as string[]) {
    if (isFull()) return;
    if (!Object.hasOwn(value, name)) add("is missing", `${pointer}/${name}`);
  }
  const known = properties as { [name: string]: JsonObject };
  for (const [name, each] of Object.entries(value)) {
    if (isFull()) return;
    const own = Object.hasOwn(known, name) ? known[name] : undefined;
    if (own) addFaults(faults, own, each, `${pointer}/${name}`);
    else if (additionalProperties === false) add("is not part of this panel's state", `${pointer}/${name}`);
  }
}

/** What is wrong with a value itself, without what is in it. */
function faultOf({ type, enum: values, ...schema }: JsonObject, value: JsonData): string | undefined {
  if (TYPE_CHECKS[String(type)]?.(value) !== true) return `must be ${words(String(type))}`;
  if (Array.isArray(values) && !values.includes(value))
    return `must be one of ${JSON.stringify(values).slice(0, MAX_SHOWN_LENGTH)}`;
  const { maxLength = Number.POSITIVE_INFINITY, maxItems = Number.POSITIVE_INFINITY } = schema;
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (typeof value === "string" && value.length > Number(maxLength)) return `must have at most ${maxLength} characters`;
  if (typeof value === "number" && value < Number(minimum)) return `must be at least ${minimum}`;
  if (typeof value === "number" && value > Number(maximum)) return `must be at most ${maximum}`;
  if (Array.isArray(value) && value.length > Number(maxItems)) return `must have at most ${maxItems} entries`;
  return undefined;
}

const words = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : type === "null" ? type : `a ${type}`);
