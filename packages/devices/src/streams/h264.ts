import { createBits } from "./bits.ts";
import type { Codec } from "./picture.ts";

const SLICE = 1;
const KEY_SLICE = 5;
const SPS = 7;
const PPS = 8;
/** Slice types of ITU-T H.264, table 7-6: both numbers mean that a picture refers to a later one. */
const BIDIRECTIONAL: ReadonlySet<number> = new Set([1, 6]);
const PROFILES: Readonly<Record<number, string>> = {
  ...{ 66: "baseline", 77: "main", 88: "extended", 100: "high", 110: "high 10", 122: "high 4:2:2", 244: "high 4:4:4" },
};

const unitType = (unit: Buffer): number => (unit[0] ?? 0) & 31;

/** A picture that can be shown without those before it. */
export const isKeyUnit = (codec: Codec, unit: Buffer): boolean =>
  codec === "H.264" ? unitType(unit) === KEY_SLICE : isKeyOf265(unit);

/** What a decoder has to know before a key picture: sequence and picture parameters. */
export const isParameterSet = (codec: Codec, unit: Buffer): boolean => {
  if (codec === "H.264") return unitType(unit) === SPS || unitType(unit) === PPS;
  return typeOf265(unit) >= 32 && typeOf265(unit) <= 34;
};

/** Those of a key picture of H.264, without which it cannot be shown. */
export type Parameters = { sequence: Buffer; picture: Buffer };

export function parametersOf(units: readonly Buffer[]): Parameters | undefined {
  const sequence = units.find((unit) => unitType(unit) === SPS);
  const picture = units.find((unit) => unitType(unit) === PPS);
  return sequence && picture && { sequence, picture };
}

const typeOf265 = (unit: Buffer): number => ((unit[0] ?? 0) >> 1) & 63;
const isKeyOf265 = (unit: Buffer): boolean => typeOf265(unit) >= 16 && typeOf265(unit) <= 21;

/** The name of the profile in a sequence parameter set; undefined: the unit is none, or its profile has no name here. */
export const profileOf = (unit: Buffer): string | undefined =>
  unitType(unit) === SPS && unit.length > 3 ? PROFILES[unit[1] as number] : undefined;

/** Whether a unit is a slice of a B-frame, which browsers do not play by WebRTC. */
export function isBidirectional(unit: Buffer): boolean {
  if (unitType(unit) !== SLICE) return false;
  // So near to the start that no emulation byte is before them.
  const { unsigned } = createBits(unit.subarray(1));
  unsigned();
  return BIDIRECTIONAL.has(unsigned());
}
