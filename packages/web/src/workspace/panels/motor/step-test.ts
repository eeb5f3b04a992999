import type { JsonData, JsonObject } from "@backplane/contract/panels";
import { isObject, numberOf } from "../../controls/json.ts";
import type { Track } from "../../parts/plot/track.ts";

/** Seconds since the step, and what was measured then. */
export type StepPoint = readonly [s: number, velocity: number];

export type StepTest = {
  atMs: number;
  from: number;
  to: number;
  curve: readonly StepPoint[];
  peakA: number | undefined;
};

/** Undefined: it did not get that far. */
export type StepFigures = {
  riseS: number | undefined;
  overshootPct: number | undefined;
  settleS: number | undefined;
  peakA: number | undefined;
};

/** It has settled when it stays within this part of the step. */
export const BAND = 0.02;
const MAX_POINTS = 160;

/** Rise time from 10 to 90 %, overshoot in % of the step, and when it last came into the band. */
export function figuresOf({ from, to, curve, peakA }: StepTest): StepFigures {
  const size = to - from;
  const shares = curve.map(([s, velocity]) => [s, (velocity - from) / size] as const);
  const at = (share: number) => shares.find(([, reached]) => reached >= share)?.[0];
  const [low, high] = [at(0.1), at(0.9)];
  const peak = Math.max(...shares.map(([, share]) => share));
  const lastOut = shares.findLastIndex(([, share]) => Math.abs(share - 1) > BAND);
  return {
    riseS: low === undefined || high === undefined ? undefined : high - low,
    overshootPct: high === undefined ? undefined : Math.max(0, 100 * (peak - 1)),
    settleS: shares[lastOut + 1]?.[0],
    peakA,
  };
}

/** What was measured since the step, with no more points than can be seen. */
export function curveOf(
  track: Track,
  fromMs: number,
  untilMs: number,
): { curve: StepPoint[]; peakA: number | undefined } {
  const all: StepPoint[] = [];
  let peakA: number | undefined;
  for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= untilMs; sample += 1) {
    const velocity = track.valueAt("velocity_rad_s", sample);
    const amps = Math.abs(track.valueAt("current_a", sample));
    if (!Number.isNaN(velocity)) all.push([(track.timeAt(sample) - fromMs) / 1_000, velocity]);
    if (!Number.isNaN(amps)) peakA = Math.max(peakA ?? 0, amps);
  }
  const every = Math.max(1, Math.ceil(all.length / MAX_POINTS));
  return { curve: all.filter((_, i) => i % every === 0), peakA };
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

/** As the tab keeps it. */
const keptOf = ({ atMs, from, to, curve, peakA }: StepTest) => ({
  ...{ atMs, from, to, curve: curve.map((point) => point.map(rounded)) },
  ...(peakA === undefined ? {} : { peakA: rounded(peakA) }),
});

function readStepTest(value: JsonData | undefined): StepTest | undefined {
  if (!isObject(value) || !Array.isArray(value.curve)) return undefined;
  const [from, to] = [numberOf(value.from), numberOf(value.to)];
  if (from === undefined || to === undefined || from === to) return undefined;
  const curve = value.curve.slice(0, MAX_POINTS).flatMap((one): StepPoint[] => {
    if (!Array.isArray(one)) return [];
    const [s, velocity] = [numberOf(one[0]), numberOf(one[1])];
    return s === undefined || velocity === undefined ? [] : [[s, velocity]];
  });
  return { atMs: numberOf(value.atMs) ?? 0, from, to, curve, peakA: numberOf(value.peakA) };
}

/** Besides the newest one and the one before it. */
const MAX_EARLIER = 4;

/** The steps that the tab keeps, the newest first. */
export function readSteps({ step, lastStep, earlierSteps }: JsonObject): StepTest[] {
  const kept = [step, lastStep, ...(Array.isArray(earlierSteps) ? earlierSteps.slice(0, MAX_EARLIER) : [])];
  return kept.flatMap((one) => readStepTest(one) ?? []);
}

/** One more, as the tab keeps it. */
export function withStep(before: readonly StepTest[], test: StepTest) {
  const [lastStep, ...earlierSteps] = before.slice(0, MAX_EARLIER + 1).map(keptOf);
  return { step: keptOf(test), ...(lastStep ? { lastStep, earlierSteps } : {}) };
}

/** Both steps beside each other: one row per time, empty where a step has no value. */
export function csvOfSteps(steps: readonly StepTest[], unit: string): string {
  const rows = new Map<number, (number | undefined)[]>();
  for (const [place, { curve }] of steps.entries()) {
    for (const [s, velocity] of curve) {
      const row = rows.get(s) ?? [];
      row[place] = velocity;
      rows.set(s, row);
    }
  }
  const head = ["seconds", ...steps.map(({ atMs }) => `${new Date(atMs).toISOString()} (${unit})`)];
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([s, row]) => [s, ...steps.map((_, place) => row[place] ?? "")].join());
  return `${[head.join(), ...lines].join("\r\n")}\r\n`;
}

export type FigureRow = { name: string; now: string; last: string; change: string; tone: "ok" | "danger" | undefined };

const FIGURES = [
  ["riseS", "Rise time, 10–90 %", (value: number) => `${Math.round(1_000 * value)} ms`],
  ["overshootPct", "Overshoot", (value: number) => `${value.toFixed(1)} %`],
  ["settleS", "Settles within 2 %", (value: number) => `${value.toFixed(2)} s`],
  ["peakA", "Peak current", (value: number) => `${value.toFixed(1)} A`],
] as const;

/** Side by side with the last one: less is better, for all of them. */
export const rowsOf = (now: StepFigures | undefined, last: StepFigures | undefined): FigureRow[] =>
  FIGURES.map(([key, name, words]) => {
    const [is, was] = [now?.[key], last?.[key]];
    const said = (value: number | undefined) => (value === undefined ? "–" : words(value));
    if (is === undefined || was === undefined)
      return { name, now: said(is), last: said(was), change: "", tone: undefined };
    const size = words(Math.abs(is - was));
    const isSame = size === words(0);
    const sign = is > was ? "+" : "−";
    return {
      name,
      now: said(is),
      last: said(was),
      change: isSame ? "same" : `${sign}${size}`,
      tone: isSame ? undefined : is < was ? "ok" : "danger",
    };
  });
