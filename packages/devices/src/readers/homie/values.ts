import type { JsonData } from "@backplane/contract/panels";
import { readJson, readNumber } from "../json.ts";
import type { Property } from "./description.ts";

/** Homie 5: an empty string is sent as one zero byte, because an empty message removes a value. */
const EMPTY_STRING = "\0";

/** Undefined: it is not a value of this property. Pure. */
export function readValue({ datatype, measure, labels }: Property, payload: Buffer | string): JsonData | undefined {
  const text = String(payload);
  if (datatype === "integer" || datatype === "float") {
    const value = readNumber(text);
    return value === undefined || (datatype === "integer" && !Number.isInteger(value))
      ? undefined
      : measure.convert(value);
  }
  if (datatype === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  if (datatype === "enum") return labels && !labels.includes(text) ? undefined : text;
  if (datatype !== "json") return text === EMPTY_STRING ? "" : text;
  const read = readJson(text);
  return read.ok && typeof read.value === "object" ? read.value : undefined;
}

/** What is sent to `set`. Undefined: it is not a value of this property. */
export function writeValue({ datatype, measure, labels }: Property, value: unknown): string | undefined {
  if (datatype === "integer" || datatype === "float") {
    if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
    const given = measure.revert(value);
    return String(datatype === "integer" ? Math.round(given) : given);
  }
  if (datatype === "boolean") return typeof value === "boolean" ? String(value) : undefined;
  if (datatype === "json") return typeof value === "object" && value !== null ? JSON.stringify(value) : undefined;
  if (typeof value !== "string" || (datatype === "enum" && labels && !labels.includes(value))) return undefined;
  return value === "" ? EMPTY_STRING : value;
}
