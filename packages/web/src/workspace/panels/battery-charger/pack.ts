import { medianOf, numbersIn } from "../../parts/maths/maths.ts";
import type { Range } from "../../parts/plot/range.ts";
import type { Track } from "../../parts/plot/track.ts";

const MAX_CELLS = 32;
/** More apart than this, the highest cell limits how full the others get. */
export const ALLOWED_SPREAD_V = 0.03;
/** A cell that resists more than so many times as much as the median has aged. */
const AGED_TIMES = 2;

export type Cell = {
  /** Counted from 1. */
  number: number;
  volts: number;
  /** Of all cells that say a voltage. */
  meanV: number;
  ohms: number;
  isBalanced: boolean;
  isAged: boolean;
};

/** What is known of every cell at this sample. */
export function cellsAt(track: Track, sample: number): Cell[] {
  const volts = numbersIn(track.dataAt("cell_v", sample)).slice(0, MAX_CELLS);
  const known = volts.filter((each) => !Number.isNaN(each));
  const meanV = known.reduce((sum, each) => sum + each, 0) / known.length;
  const ohms = innerOhms(track, sample, volts.length);
  const usual = medianOf(ohms);
  const balance = track.dataAt("balance", sample);
  return volts.map((each, place) => ({
    ...{ number: place + 1, volts: each, meanV, ohms: ohms[place] ?? Number.NaN },
    isBalanced: Array.isArray(balance) && balance[place] === true,
    isAged: (ohms[place] ?? Number.NaN) > AGED_TIMES * usual,
  }));
}

export const spreadOf = (cells: readonly Cell[]): number => {
  const volts = cells.map((cell) => cell.volts).filter((each) => !Number.isNaN(each));
  return volts.length < 2 ? Number.NaN : Math.max(...volts) - Math.min(...volts);
};

/** In words, which cell limits the pack, and why; undefined: none stands out. */
export function weakestWords(cells: readonly Cell[]): string | undefined {
  const aged = cells.filter(({ isAged }) => isAged);
  const [weakest] = aged;
  if (!weakest) return undefined;
  if (aged.length > 1)
    return `Cells ${aged.map(({ number }) => number).join(", ")} resist more than twice as much as the others.`;
  const times = weakest.ohms / medianOf(cells.filter((cell) => cell !== weakest).map(({ ohms }) => ohms));
  return `Cell ${weakest.number} has ${times.toFixed(1)} times the inner resistance of the others. It limits this pack.`;
}

/** Smaller steps drown in the noise of the voltage. */
const MIN_STEP_A = 0.4;
/** In this time the charge of a cell does not change what a step shows. */
const MAX_STEP_MS = 2_000;
const STEPS = 12;
const SEARCHED = 4_000;

/**
 * What every cell resists: how much its voltage changes with the current when that makes a step. The median of the last steps; NaN:
 * there was none yet.
 */
export function innerOhms(track: Track, sample: number, cells: number): number[] {
  const found: number[][] = [];
  const from = Math.max(track.first + 1, sample - SEARCHED);
  for (let at = sample; at >= from && found.length < STEPS; at -= 1) {
    const amps = track.valueAt("current_a", at) - track.valueAt("current_a", at - 1);
    if (!(Math.abs(amps) >= MIN_STEP_A) || track.timeAt(at) - track.timeAt(at - 1) > MAX_STEP_MS) continue;
    const [before, after] = [numbersIn(track.dataAt("cell_v", at - 1)), numbersIn(track.dataAt("cell_v", at))];
    found.push(Array.from({ length: cells }, (_, i) => ((after[i] ?? Number.NaN) - (before[i] ?? Number.NaN)) / amps));
  }
  return Array.from({ length: cells }, (_, i) => medianOf(found.map((ohms) => ohms[i] ?? Number.NaN)));
}

export type Now = {
  packV: number;
  limitV: number;
  amps: number;
  /** It is full when the current has fallen to this. */
  endA: number;
  /** What is still missing. */
  leftMah: number;
};
export type Expected = { s: number; volts: number; amps: number };

const POINTS = 48;
const MAX_S = 12 * 3_600;
const NEAR_V = 0.02;
/** How fast the current of lithium cells fades at their highest voltage, to a third each: resistance times charge per volt. */
const FADE_S = 600;

/**
 * How it goes on: at a constant current until the pack has its highest voltage, then at that voltage with a current that fades, until
 * what is missing is in. Undefined: not enough is known.
 */
export function expect({ packV, limitV, amps, endA, leftMah }: Now): Expected[] | undefined {
  if (!(amps > endA) || !(endA > 0) || !(leftMah > 0) || !(limitV > 0) || Number.isNaN(packV)) return undefined;
  const leftC = leftMah * 3.6;
  const isAtLimit = packV > limitV - NEAR_V;
  const steadyS = isAtLimit ? 0 : Math.max(0, leftC - FADE_S * (amps - endA)) / amps;
  const fadeS = (leftC - amps * steadyS) / (amps - endA);
  const untilFullS = fadeS * Math.log(amps / endA);
  if (steadyS + untilFullS > MAX_S) return undefined;
  const steady = [
    { s: 0, volts: packV, amps },
    { s: steadyS, volts: limitV, amps },
  ];
  const fading = Array.from({ length: POINTS }, (_, i) => ((i + 1) / POINTS) * untilFullS).map((s) => ({
    ...{ s: steadyS + s, volts: limitV, amps: amps * Math.exp(-s / fadeS) },
  }));
  return [...steady, ...fading];
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.slice(0, 160) : "");

/** What the charger says that it does. */
export function stateAt(track: Track, sample: number): { state: string; fault: string | undefined } {
  const fault = textOf(track.dataAt("fault", sample));
  return { state: textOf(track.dataAt("state", sample)), fault: fault === "" ? undefined : fault };
}

/** The hottest of its sensors, whether it has one or several. */
export function hottestAt(track: Track, sample: number): number {
  const several = numbersIn(track.dataAt("temperature_c", sample)).filter((each) => !Number.isNaN(each));
  return several.length > 0 ? Math.max(...several) : track.valueAt("temperature_c", sample);
}

/** Minutes and hours, without seconds: nobody knows them. */
export function leftWords(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const minutes = Math.max(1, Math.round(seconds / 60));
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** Where the axis begins and ends, in whole steps. */
export function axisAround(values: readonly number[], step: number, least: number): Range {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return [0, least];
  const low = Math.floor(Math.min(...known) / step) * step;
  return [low, Math.max(low + least, Math.ceil(Math.max(...known) / step) * step)];
}
