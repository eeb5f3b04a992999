import type { Tone } from "../../../parts/state.tsx";
import { type Blocks, createBlocks, samplesIn } from "../../parts/plot/blocks.ts";
import { gapAfterMs, type Reader } from "../../parts/plot/envelope.ts";
import type { Range } from "../../parts/plot/range.ts";
import type { PlotSeries } from "../../parts/plot/series.ts";
import { pastOf } from "../../parts/plot/statistics.ts";
import type { Track } from "../../parts/plot/track.ts";
import { durationWords } from "../../parts/plot/words.ts";

type Watched = Pick<PlotSeries, "track" | "read" | "history">;

export type LimitReport = {
  /** How long it was above its limit; gaps count to neither side. */
  aboveMs: number;
  isAbove: boolean;
  /** The longest time without data. */
  gapMs: number;
};

/** Of consecutive samples. Times are NaN when none of them has a value. */
type Watch = { firstMs: number; lastMs: number; aboveMs: number; gapMs: number; isAbove: boolean };

const NOTHING: Watch = { firstMs: Number.NaN, lastMs: Number.NaN, aboveMs: 0, gapMs: 0, isAbove: false };

/** What comes first stands for the time until the other one begins, unless that is a gap. */
function joined(a: Watch, b: Watch, longestMs: number): Watch {
  if (Number.isNaN(b.firstMs)) return a;
  if (Number.isNaN(a.firstMs)) return b;
  const stepMs = b.firstMs - a.lastMs;
  const isGap = stepMs > longestMs;
  return {
    ...{ firstMs: a.firstMs, lastMs: b.lastMs, isAbove: b.isAbove },
    aboveMs: a.aboveMs + b.aboveMs + (a.isAbove && !isGap ? stepMs : 0),
    gapMs: Math.max(a.gapMs, b.gapMs, isGap ? stepMs : 0),
  };
}

type Watching = { limit: number | undefined; longestMs: number; blocks: Blocks<Watch> };
const watchings = new WeakMap<Reader, Watching>();

/** By its limit and what a gap is: with others, everything is looked at again. */
function watchingOf(read: Reader, limit: number | undefined, longestMs: number): Watching {
  const before = watchings.get(read);
  if (before && before.limit === limit && before.longestMs === longestMs) return before;
  const watch = (track: Track, from: number, to: number): Watch => {
    let all = NOTHING;
    for (let sample = from; sample < to; sample += 1) {
      const value = read(track, sample);
      if (Number.isNaN(value)) continue;
      const tMs = track.timeAt(sample);
      const isAbove = limit !== undefined && value > limit;
      all = joined(all, { firstMs: tMs, lastMs: tMs, aboveMs: 0, gapMs: 0, isAbove }, longestMs);
    }
    return all;
  };
  const watching = { limit, longestMs, blocks: createBlocks(watch) };
  watchings.set(read, watching);
  return watching;
}

/** Every sample stands for the time until the next one. */
export function reportOf(watched: Watched, limit: number | undefined, times: Range): LimitReport {
  const { track, read } = watched;
  const longestMs = gapAfterMs(track.periodMs());
  const { blocks } = watchingOf(read, limit, longestMs);
  const { aboveMs, isAbove, gapMs } = blocks(track, ...samplesIn(track, ...times)).reduce(
    (all, next) => joined(all, next, longestMs),
    NOTHING,
  );
  let pastMs = 0;
  for (const { mean, sizeMs } of pastOf(watched, times)) if (limit !== undefined && mean > limit) pastMs += sizeMs;
  return { aboveMs: pastMs + aboveMs, isAbove, gapMs };
}

/** The limits in a panel's state, by the name of the field. */
export const limitsOf = (value: unknown): Record<string, number> =>
  Object.fromEntries(
    Object.entries(typeof value === "object" && value !== null ? value : {}).filter(
      (entry): entry is [string, number] => typeof entry[1] === "number",
    ),
  );

/** What a row says about its sensor. */
export function stateWords(
  limit: number | undefined,
  report: LimitReport,
  isReady: boolean,
): { tone: Tone; word: string } {
  if (!isReady) return { tone: "danger", word: "Lost" };
  if (report.isAbove) return { tone: "danger", word: "High" };
  if (report.gapMs > 0) return { tone: "warn", word: `${durationWords(report.gapMs)} gap` };
  if (limit === undefined) return { tone: "off", word: "No limit" };
  return { tone: "ok", word: report.aboveMs > 0 ? "Back in" : "In limits" };
}
