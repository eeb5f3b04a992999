import { itemOf, numbersIn } from "../../parts/maths/maths.ts";
import type { Range } from "../../parts/plot/range.ts";
import type { Track } from "../../parts/plot/track.ts";

/** Values of a calibrated eye go from 0 to this. */
export const FULL = 1_000;
/** An eye that sees more than this sees the line. */
export const THRESHOLD = 200;
const MAX_EYES = 64;

export type Eye = { value: number; raw: number; min: number; max: number };

/** What each eye sees, from left to right. Without values of the device, they follow from what was measured and its range. */
export function eyesAt(track: Track, sample: number): Eye[] {
  const [value, raw, min, max] = ["value", "raw", "min", "max"].map((field) => track.dataAt(field, sample));
  const count = Math.min(MAX_EYES, Math.max(numbersIn(value).length, numbersIn(raw).length));
  return Array.from({ length: count }, (_, i) => {
    const eye = { value: itemOf(value, i), raw: itemOf(raw, i), min: itemOf(min, i), max: itemOf(max, i) };
    const ours = ((eye.raw - eye.min) / (eye.max - eye.min)) * FULL;
    return Number.isNaN(eye.value) ? { ...eye, value: Math.max(0, Math.min(FULL, ours)) } : eye;
  });
}

/** Where the line is below the eyes, from −1, left, to 1, right. NaN: no eye sees it. */
export function positionOf(values: readonly number[]): number {
  const seen = values.map((value) => (Number.isNaN(value) ? 0 : value));
  if (seen.length < 2 || Math.max(...seen) <= THRESHOLD) return Number.NaN;
  const total = seen.reduce((sum, value) => sum + value, 0);
  return seen.reduce((sum, value, i) => sum + value * ((2 * i) / (seen.length - 1) - 1), 0) / total;
}

/** As the device says; else by its eyes. */
export function positionAt(track: Track, sample: number): number {
  const said = track.valueAt("position", sample);
  if (!Number.isNaN(said)) return said;
  if (track.valueAt("on_line", sample) === 0) return Number.NaN;
  return positionOf(eyesAt(track, sample).map(({ value }) => value));
}

export const isOnLine = (track: Track, sample: number): boolean => {
  const said = track.valueAt("on_line", sample);
  return Number.isNaN(said) ? !Number.isNaN(positionAt(track, sample)) : said === 1;
};

export type Run = {
  /** How often the line was lost, and for how long in all. */
  lost: number;
  lostMs: number;
  /** NaN: nothing is known of the position. */
  rms: number;
  drivenM: number;
};

/** Samples that are further apart say nothing about the time between them. */
const GAP_MS = 1_000;

export function runOf(track: Track, [fromMs, toMs]: Range): Run {
  let [lost, lostMs, squares, count, drivenM] = [0, 0, 0, 0, 0];
  let wasOn = true;
  for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= toMs; sample += 1) {
    const sinceMs = sample > track.first ? track.timeAt(sample) - track.timeAt(sample - 1) : 0;
    const isOn = isOnLine(track, sample);
    if (wasOn && !isOn) lost += 1;
    if (!wasOn && sinceMs < GAP_MS) lostMs += sinceMs;
    wasOn = isOn;
    const position = positionAt(track, sample);
    if (!Number.isNaN(position)) {
      squares += position * position;
      count += 1;
    }
    const [x, y] = [track.valueAt("x_m", sample), track.valueAt("y_m", sample)];
    const step = Math.hypot(x - track.valueAt("x_m", sample - 1), y - track.valueAt("y_m", sample - 1));
    if (!Number.isNaN(step) && sinceMs > 0 && sinceMs < GAP_MS) drivenM += step;
  }
  return { lost, lostMs, rms: Math.sqrt(squares / count), drivenM };
}

export type Step = { x: number; y: number; isOn: boolean };

/** Where it has been, thinned: only steps that are this far apart. */
export function trailOf(track: Track, [fromMs, toMs]: Range, apartM = 0.01): Step[] {
  const steps: Step[] = [];
  for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= toMs; sample += 1) {
    const [x, y] = [track.valueAt("x_m", sample), track.valueAt("y_m", sample)];
    if (Number.isNaN(x) || Number.isNaN(y)) continue;
    const last = steps.at(-1);
    if (last && Math.hypot(x - last.x, y - last.y) < apartM) continue;
    steps.push({ x, y, isOn: isOnLine(track, sample) });
  }
  return steps;
}
