import { type AckCode, DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";

/** Lowest and highest value. */
export type Limits = readonly [number, number];

/** Why the parameters of a command are refused: the field by its path, such as `pose[2]`, and its limits if it has both. */
export type ParamFault = {
  code: Extract<AckCode, "out-of-limits" | "unknown-field" | "not-a-number" | "unsupported">;
  field: string;
  limits?: [number, number];
  detail: string;
};

/** Keywords that can forbid a value and that are not understood here: what they limit is refused, not let through. */
const NOT_UNDERSTOOD = ["$ref", "oneOf", "anyOf", "allOf", "not", "if", "patternProperties", "dependentSchemas"];
const MAX_DEPTH = 8;

/**
 * Checks parameters by the JSON Schema that the device gave for its command. A value outside its limits is refused and
 * never clamped: half of what was asked for can be as wrong as all of it. The schema comes from the device, so only a closed part of
 * the language is read and nothing of it ever runs: no patterns, no references. `narrowed` are limits that the workspace
 * sets for fields on top of those of the device.
 */
export function checkParams(
  schema: JsonObject,
  params: JsonObject,
  narrowed: Readonly<Record<string, Limits>> = {},
): ParamFault | undefined {
  return checkObject(schema, params, { field: "", depth: 0, narrowed });
}

type Place = { field: string; depth: number; narrowed: Readonly<Record<string, Limits>> };

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const at = (object: JsonObject, key: string): JsonData | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

const fault = (code: ParamFault["code"], field: string, words: string, limits?: Limits): ParamFault => ({
  ...{ code, field, detail: `${field || "The command"} ${words}.` },
  ...(limits && Number.isFinite(limits[0]) && Number.isFinite(limits[1]) ? { limits: [limits[0], limits[1]] } : {}),
});

function checkObject(schema: JsonObject, value: JsonData, place: Place): ParamFault | undefined {
  const { field, depth, narrowed } = place;
  if (!isObject(value)) return fault("out-of-limits", field, "must be an object");
  const declared = at(schema, "properties");
  const properties = isObject(declared) ? declared : {};
  const pathOf = (name: string) => (field === "" ? name : `${field}.${name}`);
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name)) continue;
    const known = Object.keys(properties).join(", ");
    return fault("unknown-field", pathOf(name), known ? `is not known here; known are ${known}` : "is not known here");
  }
  const required = at(schema, "required");
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name !== "string" || Object.hasOwn(value, name)) continue;
    const isNumber = typesOf(properties[name]).some((type) => type === "number" || type === "integer");
    return fault(isNumber ? "not-a-number" : "out-of-limits", pathOf(name), "is missing");
  }
  for (const [name, one] of Object.entries(value)) {
    const found = checkValue(properties[name], one, { field: pathOf(name), depth: depth + 1, narrowed });
    if (found) return found;
  }
  return undefined;
}

function checkValue(schema: JsonData | undefined, value: JsonData, place: Place): ParamFault | undefined {
  const { field, depth } = place;
  if (!isObject(schema))
    return fault("unsupported", field, "is declared by the device in a way that cannot be checked");
  const unknown = NOT_UNDERSTOOD.find((keyword) => Object.hasOwn(schema, keyword));
  if (unknown !== undefined || depth > MAX_DEPTH) {
    return fault(
      "unsupported",
      field,
      `is declared by the device with ${unknown ?? "too many levels"}, which cannot be checked`,
    );
  }
  const allowed = choicesOf(schema);
  if (allowed && !allowed.some((one) => one === value)) {
    return fault("out-of-limits", field, `must be one of ${allowed.map((one) => JSON.stringify(one)).join(", ")}`);
  }
  const types = typesOf(schema);
  if (value === null) return types.includes("null") ? undefined : fault("out-of-limits", field, "must have a value");
  if (types.includes("number") || types.includes("integer")) {
    return checkNumber(schema, value, place, !types.includes("number"));
  }
  if (types.includes("boolean")) {
    return typeof value === "boolean" ? undefined : fault("out-of-limits", field, "must be true or false");
  }
  if (types.includes("string")) return checkText(schema, value, field);
  if (types.includes("array")) return checkList(schema, value, place);
  if (types.includes("object")) return checkObject(schema, value, place);
  // Without a type only a list of choices can be checked.
  return allowed ? undefined : fault("unsupported", field, "has no type in the device's description");
}

/** The types that a schema names; one that has limits of numbers is a number. */
function typesOf(schema: JsonData | undefined): string[] {
  if (!isObject(schema)) return [];
  const type = at(schema, "type");
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === "string");
  return Object.hasOwn(schema, "minimum") || Object.hasOwn(schema, "maximum") ? ["number"] : [];
}

function choicesOf(schema: JsonObject): JsonData[] | undefined {
  const listed = at(schema, "enum");
  if (Array.isArray(listed)) return listed;
  return Object.hasOwn(schema, "const") ? [schema.const as JsonData] : undefined;
}

function checkNumber(
  schema: JsonObject,
  value: JsonData,
  { field, narrowed }: Place,
  isWhole: boolean,
): ParamFault | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return fault("not-a-number", field, "must be a number");
  if (isWhole && !Number.isInteger(value)) return fault("not-a-number", field, "must be a whole number");
  const own = Object.hasOwn(narrowed, field) ? narrowed[field] : undefined;
  const bound = (keyword: string, otherwise: number) => {
    const limit = at(schema, keyword);
    return typeof limit === "number" && Number.isFinite(limit) ? limit : otherwise;
  };
  const above = bound("exclusiveMinimum", Number.NEGATIVE_INFINITY);
  const below = bound("exclusiveMaximum", Number.POSITIVE_INFINITY);
  const min = Math.max(bound("minimum", Number.NEGATIVE_INFINITY), above, own?.[0] ?? Number.NEGATIVE_INFINITY);
  const max = Math.min(bound("maximum", Number.POSITIVE_INFINITY), below, own?.[1] ?? Number.POSITIVE_INFINITY);
  if (value >= min && value <= max && value > above && value < below) return undefined;
  return fault("out-of-limits", field, `must be ${wordsOf(min, max, { above, below })}, not ${value}`, [min, max]);
}

function wordsOf(min: number, max: number, { above, below }: { above: number; below: number }): string {
  const low = min === above ? `more than ${min}` : `at least ${min}`;
  const high = max === below ? `less than ${max}` : `at most ${max}`;
  if (!Number.isFinite(min)) return high;
  return Number.isFinite(max) ? `${low} and ${high}` : low;
}

function checkText(schema: JsonObject, value: JsonData, field: string): ParamFault | undefined {
  if (typeof value !== "string") return fault("out-of-limits", field, "must be text");
  const limit = at(schema, "maxLength");
  const maxLength = Math.min(
    typeof limit === "number" ? limit : Number.POSITIVE_INFINITY,
    DEVICES_LIMITS.maxTextLength,
  );
  return value.length > maxLength
    ? fault("out-of-limits", field, `must have at most ${maxLength} characters`)
    : undefined;
}

function checkList(schema: JsonObject, value: JsonData, place: Place): ParamFault | undefined {
  const { field, depth, narrowed } = place;
  if (!Array.isArray(value)) return fault("out-of-limits", field, "must be a list");
  const limit = (keyword: string) => {
    const found = at(schema, keyword);
    return typeof found === "number" ? found : undefined;
  };
  const [min, max] = [limit("minItems") ?? 0, limit("maxItems") ?? DEVICES_LIMITS.maxTextLength];
  if (value.length < min || value.length > max) {
    return fault("out-of-limits", field, `must have ${min} to ${max} values`, [min, max]);
  }
  const items = at(schema, "items");
  for (const [index, one] of value.entries()) {
    const found = checkValue(items, one, { field: `${field}[${index}]`, depth: depth + 1, narrowed });
    if (found) return found;
  }
  return undefined;
}
