import type { JsonData, JsonObject } from "@backplane/contract/panels";

/** Deeper values are nothing that a device measures. */
const MAX_DEPTH = 8;

export type ReadJson = { ok: true; value: JsonData } | { ok: false; why: string };

/** What a device sent as JSON: never throws, never deeper than a panel can show, no number that JSON could not write. */
export function readJson(payload: Buffer | string): ReadJson {
  let value: unknown;
  try {
    value = JSON.parse(String(payload));
  } catch {
    return { ok: false, why: "it is not JSON" };
  }
  if (!isShallow(value, MAX_DEPTH)) return { ok: false, why: "it has values inside values too deep" };
  return { ok: true, value: value as JsonData };
}

export function readObject(payload: Buffer | string): { ok: true; value: JsonObject } | { ok: false; why: string } {
  const read = readJson(payload);
  if (!read.ok) return read;
  return isObject(read.value) ? { ok: true, value: read.value } : { ok: false, why: "it is not a JSON object" };
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** 1e999 is a number in JSON, and Infinity here. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}

/** Only what is its own: `constructor` and the like are not there. */
export const own = (value: unknown, key: string | number): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** A number as people and firmware write it; undefined: it is none. */
export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(trimmed) || trimmed.length > 40) return undefined;
  return numberOf(Number(trimmed));
}
