import type { Tone } from "../../../parts/state.tsx";
import { gapAfterMs } from "../../parts/plot/envelope.ts";
import type { Range } from "../../parts/plot/range.ts";
import type { PlotSeries } from "../../parts/plot/series.ts";
import { pastOf } from "../../parts/plot/statistics.ts";
import { durationWords } from "../../parts/plot/words.ts";

type Watched = Pick<PlotSeries, "track" | "read" | "history">;

export type LimitReport = {
  /** How long it was above its limit; gaps count to neither side. */
  aboveMs: number;
  isAbove: boolean;
  /** The longest time without data. */
  gapMs: number;
};

/** Every sample stands for the time until the next one. */
export function reportOf(watched: Watched, limit: number | undefined, times: Range): LimitReport {
  const { track, read } = watched;
  const [fromMs, toMs] = times;
  const gapMs = gapAfterMs(track.periodMs());
  const report: LimitReport = { aboveMs: 0, isAbove: false, gapMs: 0 };
  for (const { mean, sizeMs } of pastOf(watched, times))
    if (limit !== undefined && mean > limit) report.aboveMs += sizeMs;
  let lastMs: number | undefined;
  for (let sample = track.from(fromMs); sample < track.next && track.timeAt(sample) <= toMs; sample += 1) {
    const value = read(track, sample);
    if (Number.isNaN(value)) continue;
    const tMs = track.timeAt(sample);
    const stepMs = lastMs === undefined ? 0 : tMs - lastMs;
    if (stepMs > gapMs) report.gapMs = Math.max(report.gapMs, stepMs);
    else if (report.isAbove) report.aboveMs += stepMs;
    report.isAbove = limit !== undefined && value > limit;
    lastMs = tMs;
  }
  return report;
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
