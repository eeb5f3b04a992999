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
  const { type, properties = {}, required = [], additionalProperties = true, items, enum: values } = schema;
  const fault = (message: string, at = pointer): StateFault[] => [{ pointer: at, message }];
  if (TYPE_CHECKS[String(type)]?.(value) !== true) return fault(`must be ${words(String(type))}`);
  if (Array.isArray(values) && !values.includes(value)) return fault(`must be one of ${JSON.stringify(values)}`);
  if (typeof value === "string" && value.length > Number(schema.maxLength ?? Number.POSITIVE_INFINITY))
    return fault(`must have at most ${schema.maxLength} characters`);
  if (typeof value === "number") {
    if (value < Number(schema.minimum ?? Number.NEGATIVE_INFINITY)) return fault(`must be at least ${schema.minimum}`);
    if (value > Number(schema.maximum ?? Number.POSITIVE_INFINITY)) return fault(`must be at most ${schema.maximum}`);
  }
  if (Array.isArray(value)) {
    if (value.length > Number(schema.maxItems ?? Number.POSITIVE_INFINITY))
      return fault(`must have at most ${schema.maxItems} entries`);
    return isObject(items) ? value.flatMap((each, at) => stateFaults(items, each, `${pointer}/${at}`)) : [];
  }
  if (!isObject(value)) return [];
  const missing = (required as string[]).filter((name) => !Object.hasOwn(value, name));
  const known = properties as { [name: string]: JsonObject };
  return [
    ...missing.flatMap((name) => fault("is missing", `${pointer}/${name}`)),
    ...Object.entries(value).flatMap(([name, each]) => {
      const own = Object.hasOwn(known, name) ? known[name] : undefined;
      if (own) return stateFaults(own, each, `${pointer}/${name}`);
      return additionalProperties === false ? fault("is not part of this panel's state", `${pointer}/${name}`) : [];
    }),
  ];
}

const words = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : type === "null" ? type : `a ${type}`);
