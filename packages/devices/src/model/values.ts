import { type Capability, DEVICES_LIMITS, type Field } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import { isPlainJson } from "./description.ts";

const { maxFields, maxMessageBytes, maxTextLength } = DEVICES_LIMITS;

/** The values that can be taken, and why others cannot. */
export type CheckedValues = { values: JsonObject; fault: string | undefined };

/** Values that a device measured, by what it said of itself. A value that is null is not there. */
export function checkValues(capability: Capability, given: unknown): CheckedValues {
  const values: JsonObject = {};
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return { values, fault: `${capability.id}: a sample is an object with its fields` };
  }
  const names = Object.keys(given);
  if (names.length > maxFields) {
    return { values, fault: `${capability.id}: a sample has at most ${maxFields} fields, not ${names.length}` };
  }
  let fault: string | undefined;
  for (const name of names) {
    const value = (given as Record<string, unknown>)[name];
    if (value === null || value === undefined) continue;
    const field = Object.hasOwn(capability.fields, name) ? capability.fields[name] : undefined;
    const wrong = field ? faultOf(field, value) : "is not declared";
    if (wrong === undefined) values[name] = value as JsonData;
    else fault ??= `${capability.id}: ${JSON.stringify(name.slice(0, DEVICES_LIMITS.maxIdLength))} ${wrong}`;
  }
  return { values, fault };
}

function faultOf({ datatype }: Field, value: unknown): string | undefined {
  switch (datatype) {
    case "number":
      return Number.isFinite(value) ? undefined : "is not a finite number";
    case "integer":
      return Number.isInteger(value) ? undefined : "is not an integer";
    case "boolean":
      return typeof value === "boolean" ? undefined : "is neither true nor false";
    case "text":
      if (typeof value !== "string") return "is not text";
      return value.length <= maxTextLength ? undefined : `has more than ${maxTextLength} characters`;
    case "list":
      return Array.isArray(value) && isPlainJson(value, maxMessageBytes) ? undefined : "is not a list of plain values";
    case "object":
      return typeof value === "object" && !Array.isArray(value) && isPlainJson(value, maxMessageBytes)
        ? undefined
        : "is not an object of plain values";
  }
}
