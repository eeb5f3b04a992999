import type { Capability } from "@backplane/contract/devices";
import type { JsonData } from "@backplane/contract/panels";
import { booleanOf, isObject, numberOf, textOf } from "../../controls/json.ts";
import { choicesOf } from "../../controls/params.ts";
import type { Track } from "../../parts/plot/track.ts";

export type Pin = {
  name: string;
  /** Its number on the header, from 1; undefined: the device does not say. */
  place: number | undefined;
  /** in, out, pwm, adc; undefined: supply, ground or a bus. */
  mode: string | undefined;
  note: string | undefined;
  /** up, down or none; undefined: the device does not say. */
  pull: string | undefined;
  /** What it is after a reset, until something sets it. */
  start: string | undefined;
};

const MAX_PINS = 128;

/** The pins that the device names, else those that can be written, in the order of the header. */
export function readPins(value: JsonData | null | undefined, { commands }: Pick<Capability, "commands">): Pin[] {
  const listed = (Array.isArray(value) ? value : []).slice(0, MAX_PINS).flatMap((one): Pin[] => {
    const name = isObject(one) ? textOf(one.name) : undefined;
    if (!isObject(one) || name === undefined) return [];
    const [mode, note, pull, start] = [one.mode, one.note, one.pull, one.start].map(textOf);
    return [{ name, place: numberOf(one.place), mode, note, pull, start }];
  });
  if (listed.length > 0) return listed.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0));
  const unknown = { place: undefined, note: undefined, pull: undefined, start: undefined };
  return choicesOf(commands.write, "pin").map((name) => ({ name, mode: "out", ...unknown }));
}

/** The field in which the value of a pin is, by its mode. */
export const fieldOf = ({ name, mode }: Pin): string =>
  mode === "pwm" ? `${name}_pct` : mode === "adc" ? `${name}_v` : name;

/** high, 35 %, 1.82 V; a dash where there is no value. */
export function pinWords(pin: Pin, values: Readonly<Record<string, JsonData | null>>): string {
  const value = values[fieldOf(pin)];
  const number = numberOf(value);
  if (pin.mode === "pwm") return number === undefined ? "–" : `${Math.round(number)} %`;
  if (pin.mode === "adc") return number === undefined ? "–" : `${number.toFixed(2)} V`;
  const high = booleanOf(value) ?? (number === undefined ? undefined : number > 0);
  return high === undefined ? "–" : high ? "high" : "low";
}

/** `value` from this time on; NaN: none is known. */
export type Edge = { tMs: number; value: number };

/** A pin of which nothing was heard for this long has no value. */
const GAP_MS = 2_000;
const MAX_EDGES = 2_000;

/** The changes of a field since a time: the first entry is what it was at the beginning. */
export function edgesOf(track: Track, field: string, fromMs: number): Edge[] {
  const edges: Edge[] = [];
  let lastMs = Number.NaN;
  for (let sample = Math.max(track.first, track.from(fromMs) - 1); sample < track.next; sample += 1) {
    const tMs = track.timeAt(sample);
    const value = track.valueAt(field, sample);
    if (tMs - lastMs > GAP_MS) edges.push({ tMs: lastMs, value: Number.NaN });
    lastMs = tMs;
    if (!Object.is(edges.at(-1)?.value, value)) edges.push({ tMs: Math.max(tMs, fromMs), value });
    if (edges.length > MAX_EDGES) edges.shift();
  }
  return edges;
}

/** When a pin changed between values that are known. */
export const changesOf = (edges: readonly Edge[]): number[] =>
  edges
    .filter(({ value }, i) => i > 0 && !Number.isNaN(value) && !Number.isNaN(edges[i - 1]?.value ?? Number.NaN))
    .map(({ tMs }) => tMs);

/** 10 changes in 30 s, the last 1.2 s ago */
export function changesWords(changes: readonly number[], nowMs: number): string {
  const count = `${changes.length} ${changes.length === 1 ? "change" : "changes"} in 30 s`;
  const last = changes.at(-1);
  return last === undefined ? count : `${count}, the last ${(Math.max(0, nowMs - last) / 1_000).toFixed(1)} s ago`;
}

type Frame = { x: (tMs: number) => number; y: (share: number) => number; toMs: number; span: number };

/** The line of a trace as an SVG path, with steps where it is digital; nothing where no value is known. */
export function pathOf(edges: readonly Edge[], { x, y, toMs, span }: Frame, isDigital: boolean): string {
  const parts: string[] = [];
  for (const [i, { tMs, value }] of edges.entries()) {
    if (Number.isNaN(value)) continue;
    const before = edges[i - 1]?.value ?? Number.NaN;
    const at = `${x(tMs).toFixed(1)} ${y(value / span).toFixed(1)}`;
    if (Number.isNaN(before)) parts.push(`M${at}`);
    else if (isDigital) parts.push(`V${y(value / span).toFixed(1)}`);
    else parts.push(`L${at}`);
    if (isDigital) parts.push(`H${x(edges[i + 1]?.tMs ?? toMs).toFixed(1)}`);
  }
  return parts.join("");
}

/** What is under a digital trace, as far as a value is known. */
export function areaOf(edges: readonly Edge[], { x, y, toMs, span }: Frame): string {
  return edges
    .filter(({ value }) => value > 0)
    .map((edge) => {
      const next = edges[edges.indexOf(edge) + 1]?.tMs ?? toMs;
      return `M${x(edge.tMs).toFixed(1)} ${y(0)}V${y(edge.value / span).toFixed(1)}H${x(next).toFixed(1)}V${y(0)}Z`;
    })
    .join("");
}
