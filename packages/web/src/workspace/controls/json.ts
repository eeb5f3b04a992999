import type { JsonData, JsonObject } from "@backplane/contract/panels";

type Value = JsonData | null | undefined;

/** What devices send can be anything: what is not of the type is not there. */
export const numberOf = (value: Value): number | undefined => (typeof value === "number" ? value : undefined);
export const textOf = (value: Value): string | undefined => (typeof value === "string" ? value : undefined);
export const booleanOf = (value: Value): boolean | undefined => (typeof value === "boolean" ? value : undefined);
export const isObject = (value: Value): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
