import type { JsonData, JsonObject } from "@backplane/contract/panels";
import { booleanOf, isObject, numberOf, textOf } from "../../controls/json.ts";

export type Rgb = readonly [number, number, number];

/** A part of a strip that is set as one. */
export type Segment = {
  /** Undefined: the strip has no segments, it is set as a whole. */
  name: string | undefined;
  from: number;
  to: number;
  on: boolean | undefined;
  /** What it was told to have, and what it has. */
  askedPct: number | undefined;
  brightnessPct: number | undefined;
  rgb: Rgb | undefined;
  kelvin: number | undefined;
  effect: string | undefined;
  speedPct: number | undefined;
  currentA: number | undefined;
};

const MAX_PIXELS = 1_024;
const MAX_SEGMENTS = 32;
const DIGITS = 6;

const rgbOf = (value: JsonData | null | undefined): Rgb | undefined =>
  Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === "number" && one >= 0 && one <= 255)
    ? (value as unknown as Rgb)
    : undefined;

/** Six hexadecimal digits per pixel; a pixel that does not answer is undefined. */
export function readPixels(value: JsonData | null | undefined): (Rgb | undefined)[] {
  const text = textOf(value)?.slice(0, MAX_PIXELS * DIGITS) ?? "";
  return Array.from({ length: Math.floor(text.length / DIGITS) }, (_, i) => {
    const digits = text.slice(i * DIGITS, (i + 1) * DIGITS);
    if (!/^[0-9a-f]{6}$/i.test(digits)) return undefined;
    const at = (from: number) => Number.parseInt(digits.slice(from, from + 2), 16);
    return [at(0), at(2), at(4)];
  });
}

function readSegment(values: JsonObject, last: number): Segment {
  return {
    name: textOf(values.name),
    from: numberOf(values.from) ?? 0,
    to: numberOf(values.to) ?? last,
    on: booleanOf(values.on),
    askedPct: numberOf(values.asked_pct),
    brightnessPct: numberOf(values.brightness_pct),
    rgb: rgbOf(values.rgb),
    kelvin: numberOf(values.kelvin),
    effect: textOf(values.effect),
    speedPct: numberOf(values.speed_pct),
    currentA: numberOf(values.current_a),
  };
}

/** The segments that a strip names, or the whole of it as one. */
export function readSegments(values: Readonly<Record<string, JsonData | null>>, pixels: number): Segment[] {
  const last = Math.max(0, pixels - 1);
  const listed = Array.isArray(values.segments) ? values.segments.slice(0, MAX_SEGMENTS) : [];
  const named = listed.filter(isObject).map((one) => readSegment(one, last));
  return named.length > 0 ? named : [readSegment(values as JsonObject, last)];
}

/** 0 to 359. */
export function hueOf([r, g, b]: Rgb): number {
  const high = Math.max(r, g, b);
  const spread = high - Math.min(r, g, b);
  if (spread === 0) return 0;
  const sixth = high === r ? ((g - b) / spread + 6) % 6 : high === g ? (b - r) / spread + 2 : (r - g) / spread + 4;
  return Math.round(60 * sixth) % 360;
}

/** The full colour of a hue. */
export const rgbOfHue = (hue: number): Rgb =>
  [0, 120, 240].map((at) => {
    const distance = Math.min(Math.abs(hue - at), 360 - Math.abs(hue - at));
    return Math.round(255 * Math.max(0, Math.min(1, 2 - distance / 60)));
  }) as unknown as Rgb;

/** Why a segment is darker than it was told to be; undefined: it is not. */
export function heldWords(
  { askedPct, brightnessPct, on }: Pick<Segment, "askedPct" | "brightnessPct" | "on">,
  { wantedA, budgetA }: { wantedA: number | undefined; budgetA: number | undefined },
): { held: string; why: string } | undefined {
  if (!on || askedPct === undefined || brightnessPct === undefined || askedPct - brightnessPct < 1) return undefined;
  if (wantedA === undefined || budgetA === undefined || wantedA <= budgetA) return undefined;
  return {
    held: `Held at ${Math.round(brightnessPct)} %.`,
    why: `${Math.round(askedPct)} % was asked, but would draw ${wantedA.toFixed(1)} A of ${budgetA.toFixed(1)} A.`,
  };
}
