import type { JsonData } from "@backplane/contract/panels";
import { isObject, numberOf, textOf } from "../../controls/json.ts";
import type { Track } from "../../parts/plot/track.ts";

/** A pre-arm check, in the words of the drone. */
export type Check = { name: string; ok: boolean; detail: string };

const MAX_CHECKS = 32;
const [MAX_AREAS, MAX_CORNERS] = [16, 64];

export const readChecks = (value: JsonData | null | undefined): Check[] =>
  (Array.isArray(value) ? value : []).slice(0, MAX_CHECKS).flatMap((one): Check[] => {
    const name = isObject(one) ? textOf(one.name) : undefined;
    return isObject(one) && name !== undefined ? [{ name, ok: one.ok === true, detail: textOf(one.detail) ?? "" }] : [];
  });

/** What is in the way of flying, in words; undefined: nothing, as far as the drone says. */
export function checksWords(checks: readonly Check[]): string | undefined {
  const failed = checks.filter(({ ok }) => !ok);
  if (failed.length === 0) return undefined;
  return failed.map(({ name, detail }) => (detail === "" ? name : `${name}: ${detail}`)).join("; ");
}

/** 4:12 */
export function airWords(seconds: number | undefined): string {
  if (seconds === undefined || !(seconds >= 0)) return "–";
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

/** Where the controls are pushed: ahead, to the right, up and turning, from −1 to 1. */
export type Push = { ahead: number; right: number; up: number; turn: number };
export const NO_PUSH: Push = { ahead: 0, right: 0, up: 0, turn: 0 };

const KEYS: Readonly<Record<string, Partial<Push>>> = {
  ...{ KeyW: { ahead: 1 }, Space: { ahead: 1 }, KeyS: { ahead: -1 }, KeyA: { right: -1 }, KeyD: { right: 1 } },
  ...{ KeyR: { up: 1 }, KeyF: { up: -1 }, KeyQ: { turn: -1 }, KeyE: { turn: 1 } },
};

export const isFlightKey = (code: string): boolean => Object.hasOwn(KEYS, code);

/** By the place of the keys, not by their letters: they are the same on every keyboard. */
export function pushOfKeys(codes: Iterable<string>): Push {
  const push = { ...NO_PUSH };
  for (const code of codes)
    for (const [axis, by] of Object.entries(KEYS[code] ?? {})) push[axis as keyof Push] += by as number;
  return clamped(push);
}

/** By where the pointer is on the pad, from its middle; the middle itself is rest. */
export function pushOfPointer(x: number, y: number): Push {
  const length = Math.hypot(x, y);
  if (length < REST) return NO_PUSH;
  const factor = Math.min(1, length) / length;
  return clamped({ ...NO_PUSH, ahead: -y * factor, right: x * factor });
}

const REST = 0.12;
const limited = (value: number): number => Math.round(10 * Math.max(-1, Math.min(1, value))) / 10 + 0;
const clamped = ({ ahead, right, up, turn }: Push): Push => ({
  ...{ ahead: limited(ahead), right: limited(right), up: limited(up), turn: limited(turn) },
});

export type Limits = Readonly<Record<"forward_m_s" | "right_m_s" | "up_m_s" | "turn_deg_s", number>>;

/** The parameters of the command, for a speed in m/s; never more than the drone declares. */
export function velocityOf({ ahead, right, up, turn }: Push, speedMS: number, limits: Limits): Record<string, number> {
  const of = (push: number, wanted: number, most: number) => Math.round(100 * push * Math.min(wanted, most)) / 100 + 0;
  return {
    forward_m_s: of(ahead, speedMS, limits.forward_m_s),
    right_m_s: of(right, speedMS, limits.right_m_s),
    up_m_s: of(up, Math.min(1, speedMS), limits.up_m_s),
    turn_deg_s: of(turn, 30, limits.turn_deg_s),
  };
}

export type Place = { north: number; east: number };

export function placeOf(values: Readonly<Record<string, JsonData | null>>): Place | undefined {
  const [north, east] = [numberOf(values.north_m), numberOf(values.east_m)];
  return north === undefined || east === undefined ? undefined : { north, east };
}

const MAX_POINTS = 400;

/** The way it flew, as far as it was seen; undefined: nothing is known there. */
export function wayOf(track: Track, fromMs: number): (Place | undefined)[] {
  const first = Math.max(track.first, track.from(fromMs));
  const every = Math.max(1, Math.ceil((track.next - first) / MAX_POINTS));
  const way: (Place | undefined)[] = [];
  for (let sample = first; sample < track.next; sample += every) {
    const [north, east] = [track.valueAt("north_m", sample), track.valueAt("east_m", sample)];
    way.push(Number.isNaN(north) || Number.isNaN(east) ? undefined : { north, east });
  }
  return way;
}

/** How many metres the map shows from its middle, home, to its nearer edge. */
export function shownM(places: Iterable<Place | undefined>, fenceM: number | undefined): number {
  let far = 8;
  for (const place of places) if (place) far = Math.max(far, Math.hypot(place.north, place.east));
  return Math.min(1.25 * far, Math.max(1.1 * far, 1.1 * (fenceM ?? Number.POSITIVE_INFINITY)));
}

/** Areas over which it does not fly, as the drone lists them: corners in metres north and east of home. */
export const readKeepOut = (value: JsonData | null | undefined): Place[][] =>
  (Array.isArray(value) ? value : []).slice(0, MAX_AREAS).flatMap((area) => {
    const corners = (Array.isArray(area) ? area : []).slice(0, MAX_CORNERS).flatMap((corner): Place[] => {
      if (!Array.isArray(corner)) return [];
      const [north, east] = [numberOf(corner[0]), numberOf(corner[1])];
      return north === undefined || east === undefined ? [] : [{ north, east }];
    });
    return corners.length < 3 ? [] : [corners];
  });

/** Whether a place is in one of the areas. */
export const isKeptOut = (areas: readonly (readonly Place[])[], { north, east }: Place): boolean =>
  areas.some((corners) => {
    let isIn = false;
    for (const [i, a] of corners.entries()) {
      const b = corners.at(i - 1) as Place;
      const isBeside = a.north > north !== b.north > north;
      if (isBeside && east < a.east + ((north - a.north) / (b.north - a.north)) * (b.east - a.east)) isIn = !isIn;
    }
    return isIn;
  });
