import type { JsonData } from "@backplane/contract/panels";
import { lineThrough, numbersIn } from "../../parts/maths/maths.ts";
import type { Range } from "../../parts/plot/range.ts";
import { type Past, pastOf } from "../../parts/plot/statistics.ts";
import type { Track } from "../../parts/plot/track.ts";
import type { PanelSeries } from "../../plot-panel/plot-panel.tsx";

const MAX_CORES = 16;
const MAX_ROWS = 64;

export const loadsAt = (track: Track, sample: number): number[] =>
  numbersIn(track.dataAt("load_pct", sample)).slice(0, MAX_CORES);

export type Task = { name: string; state: string; loadPct: number; stackBytes: number };
export type Slice = { core: number; task: string; fromMs: number; forMs: number };

const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : Number.NaN);
const textOf = (value: unknown): string => (typeof value === "string" ? value.slice(0, 64) : "");

function objectsIn(list: JsonData | null, max: number): { [key: string]: JsonData }[] {
  if (!Array.isArray(list)) return [];
  return list
    .filter(
      (item): item is { [key: string]: JsonData } => typeof item === "object" && item !== null && !Array.isArray(item),
    )
    .slice(0, max);
}

/** The busiest first; a name comes once. */
export function tasksAt(track: Track, sample: number): Task[] {
  const found = objectsIn(track.dataAt("tasks", sample), MAX_ROWS).map(
    ({ name, state, load_pct, stack_free_bytes }) => ({
      ...{
        name: textOf(name),
        state: textOf(state),
        loadPct: numberOf(load_pct),
        stackBytes: numberOf(stack_free_bytes),
      },
    }),
  );
  return [...new Map(found.map((task) => [task.name, task])).values()].sort(
    (a, b) => (b.loadPct || 0) - (a.loadPct || 0),
  );
}

/** What each core did when, in the last moments. */
export const slicesAt = (track: Track, sample: number): Slice[] =>
  objectsIn(track.dataAt("slices", sample), 1_000)
    .map(({ core, task, from_ms, for_ms }) => ({
      ...{ core: numberOf(core), task: textOf(task), fromMs: numberOf(from_ms), forMs: numberOf(for_ms) },
    }))
    .filter(({ core, fromMs, forMs }) => core >= 0 && core < MAX_CORES && fromMs >= 0 && forMs > 0);

export const errorsAt = (track: Track, sample: number): [name: string, count: number][] => {
  const errors = track.dataAt("errors", sample);
  if (typeof errors !== "object" || errors === null || Array.isArray(errors)) return [];
  return Object.entries(errors)
    .slice(0, 8)
    .map(([name, count]) => [name.slice(0, 24), numberOf(count)]);
};

/** A stack with less left than this is marked. */
export const LOW_STACK_BYTES = 256;

export type Reset = { tMs: number; reason: string };

/**
 * When the chip began anew: the newest first. Before the first sample of the page, and in a replay before where it was begun,
 * the history knows when the count went up; why is known of the last one, which the first sample tells.
 */
export function resetsIn(track: Track, times: Range, counted?: PanelSeries): Reset[] {
  const found = seenIn(track, times);
  const past: Reset[] = [];
  let highest = Number.POSITIVE_INFINITY;
  for (const { tMs, sizeMs, min, max } of counted ? pastOf(counted, times) : []) {
    const isSeen = found.some((reset) => reset.tMs >= tMs && reset.tMs < tMs + sizeMs);
    if (max > Math.min(highest, min) && !isSeen) past.unshift({ tMs, reason: "" });
    highest = max;
  }
  const [last] = past;
  if (last && track.next > track.first && track.valueAt("resets", track.first) === highest)
    last.reason = textOf(track.dataAt("reset_reason", track.first));
  return [...found, ...past];
}

function seenIn(track: Track, [fromMs, toMs]: Range): Reset[] {
  const found: Reset[] = [];
  for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= toMs; sample += 1) {
    if (sample === track.first) continue;
    const [before, now] = [track.valueAt("uptime_s", sample - 1), track.valueAt("uptime_s", sample)];
    const [fewer, more] = [track.valueAt("resets", sample - 1), track.valueAt("resets", sample)];
    if (now < before || more > fewer)
      found.unshift({ tMs: track.timeAt(sample), reason: textOf(track.dataAt("reset_reason", sample)) });
  }
  return found;
}

export type Leak = { bytesPerHour: number; emptyInMs: number };

const MIN_LEAK_MS = 20_000;
const MIN_POINTS = 12;
/** A slope counts when it is so many times as large as what chance alone makes of the noise. */
const SURE = 5;

/** Undefined: the heap does not shrink, or it is too early to say. `points`: ms and bytes. */
export function leakOf(points: readonly (readonly [tMs: number, bytes: number])[]): Leak | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < MIN_POINTS || last[0] - first[0] < MIN_LEAK_MS) return undefined;
  const shifted = points.map(([tMs, bytes]) => [tMs - last[0], bytes] as const);
  const { slope, at0 } = lineThrough(shifted);
  const meanT = shifted.reduce((sum, [t]) => sum + t, 0) / shifted.length;
  let [squares, spread] = [0, 0];
  for (const [t, bytes] of shifted) {
    squares += (bytes - at0 - slope * t) ** 2;
    spread += (t - meanT) ** 2;
  }
  const error = Math.sqrt(squares / (shifted.length - 2) / spread);
  if (!(slope < -SURE * error) || slope >= 0) return undefined;
  return { bytesPerHour: -slope * 3_600_000, emptyInMs: Math.max(0, at0 / -slope) };
}

/** The free heap since the last reset, in these times: from the history, then from memory. */
export function heapPoints(
  series: PanelSeries | undefined,
  track: Track,
  times: Range,
  counted?: PanelSeries,
): [number, number][] {
  if (!series) return [];
  const [reset] = resetsIn(track, times, counted);
  const fromMs = Math.max(times[0], reset?.tMs ?? Number.NEGATIVE_INFINITY);
  const points = [...pastOf(series, [fromMs, times[1]])].map(({ tMs, mean }: Past): [number, number] => [tMs, mean]);
  for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= times[1]; sample += 1) {
    const bytes = track.valueAt("heap_free_bytes", sample);
    if (!Number.isNaN(bytes)) points.push([track.timeAt(sample), bytes]);
  }
  return points;
}
