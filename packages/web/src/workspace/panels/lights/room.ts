import type { Ack } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import { booleanOf, isObject, numberOf } from "../../controls/json.ts";
import type { Fitting } from "../../device-panel/fitting.ts";
import { tickStep } from "../../parts/plot/range.ts";

/** More lamps than a page may subscribe to are not shown. */
export const MAX_LAMPS = 48;
export const MAX_SCENES = 12;
/** How long a lamp that said yes may take to report it. */
const REPORTED_WITHIN_MS = 1_500;

export type LampState = { on?: boolean | undefined; brightness_pct?: number | undefined; kelvin?: number | undefined };
export type Place = readonly [x: number, y: number];
export type Scene = { name: string; lamps: Record<string, LampState> };

export const keyOf = ({ device, capability }: Fitting): string => `${device.id}/${capability.id}`;
export const lampName = ({ device, capability }: Fitting): string => capability.name ?? device.name;

const COLUMNS = 4;
export const [MIN_WIDTH_M, MAX_WIDTH_M] = [0.5, 500];

/** Where a lamp is on the plan, 0 to 1 in both directions: where somebody put it, or in rows. */
export function placeOf(plan: JsonData | undefined, key: string, index: number, count: number): Place {
  const put = isObject(plan) && Object.hasOwn(plan, key) ? plan[key] : undefined;
  if (Array.isArray(put) && put.length === 2 && put.every((one) => typeof one === "number"))
    return [within(put[0] as number), within(put[1] as number)];
  const rows = Math.ceil(count / COLUMNS);
  return [((index % COLUMNS) + 0.5) / COLUMNS, (Math.floor(index / COLUMNS) + 0.5) / rows];
}
export const within = (value: number): number => Math.max(0.03, Math.min(0.97, value));

/** The bar that shows how long a metre is: 1, 2, 5, 10 … m, about a fifth of the room. */
export function scaleOf(widthM: JsonData | undefined): { lengthM: number; share: number } | undefined {
  if (typeof widthM !== "number" || !(widthM >= MIN_WIDTH_M)) return undefined;
  const lengthM = tickStep(widthM, 5);
  return { lengthM, share: lengthM / widthM };
}

/** The lamps inside a rectangle that was drawn over the plan. */
export function lampsBetween(places: ReadonlyMap<string, Place>, [x0, y0]: Place, [x1, y1]: Place): string[] {
  const isBetween = (value: number, one: number, other: number) =>
    value >= Math.min(one, other) && value <= Math.max(one, other);
  return [...places].flatMap(([key, [x, y]]) => (isBetween(x, x0, x1) && isBetween(y, y0, y1) ? [key] : []));
}

/** What a lamp reports. */
export const readLamp = (values: JsonObject): LampState => ({
  on: booleanOf(values.on),
  brightness_pct: numberOf(values.brightness_pct),
  kelvin: numberOf(values.kelvin),
});

/** Lamps count in steps of their own. */
const TOLERANCE = { brightness_pct: 1.5, kelvin: 150 } as const;

/** Whether what a lamp reports is what it was asked for. */
export function agrees(reported: LampState, asked: LampState): boolean {
  if (asked.on !== undefined && asked.on !== reported.on) return false;
  if (asked.on === false) return true;
  return (["brightness_pct", "kelvin"] as const).every((name) => {
    const [wanted, has] = [asked[name], reported[name]];
    return wanted === undefined || (has !== undefined && Math.abs(has - wanted) <= TOLERANCE[name]);
  });
}

/** What was asked of one lamp, and what it answered. */
export type Asked = { asked: LampState; ack: Ack | undefined; answeredMs: number | undefined };
export type Answer = { tone: "ok" | "warn" | "danger" | "off"; word: string; isThere: boolean };

/** The answer of a lamp in words: yes is believed when it also reports it. */
export function answerOf({ asked, ack, answeredMs }: Asked, reported: LampState, nowMs: number): Answer {
  if (!ack) return { tone: "off", word: "asked", isThere: false };
  if (!ack.ok) return { tone: "danger", word: ack.code === "no-answer" ? "no answer" : "refused", isThere: false };
  if (agrees(reported, asked)) return { tone: "ok", word: `${Math.round(ack.tookMs)} ms`, isThere: true };
  const isLate = answeredMs !== undefined && nowMs - answeredMs > REPORTED_WITHIN_MS;
  return isLate
    ? { tone: "warn", word: "no change", isThere: false }
    : { tone: "off", word: "accepted", isThere: false };
}

/** Scenes that were saved in the tab; what is wrong in one is left out. */
export function readScenes(value: JsonData | undefined): Scene[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_SCENES).flatMap((one) => {
    if (!isObject(one) || typeof one.name !== "string" || !isObject(one.lamps)) return [];
    const lamps = Object.entries(one.lamps).flatMap(([key, state]) =>
      isObject(state) ? [[key, readLamp(state)]] : [],
    );
    return [{ name: one.name, lamps: Object.fromEntries(lamps) as Record<string, LampState> }];
  });
}

/** Only what is given: as a command, and as it is stored. */
export const given = (state: LampState): JsonObject =>
  Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined)) as JsonObject;

/** 60 %, 3000 K */
export function stateWords({ on, brightness_pct, kelvin }: LampState): string {
  const parts = [
    on === false ? "off" : on && brightness_pct === undefined && kelvin === undefined && "on",
    brightness_pct !== undefined && `${Math.round(brightness_pct)} %`,
    kelvin !== undefined && `${Math.round(kelvin)} K`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** What most of several lamps have. */
export function common(states: readonly LampState[]): LampState {
  const most = <Name extends keyof LampState>(name: Name): LampState[Name] => {
    const counts = new Map<LampState[Name], number>();
    for (const state of states) counts.set(state[name], (counts.get(state[name]) ?? 0) + 1);
    return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
  };
  return { on: most("on"), brightness_pct: most("brightness_pct"), kelvin: most("kelvin") };
}
