import { ACTIVITY_KINDS, type Activity, type ActivityKind, type Plot } from "@backplane/contract/platform";
import { counted } from "../parts/words.ts";

export const PLOT = { width: 240, height: 56, step: 4, barWidth: 3, top: 3 } as const;

export type Bar = { x: number; y: number; height: number; isBad: boolean };
export type PlotView = {
  kind: ActivityKind;
  title: string;
  total: number;
  bars: Bar[];
  /** What went wrong; undefined: nothing did. */
  failed: string | undefined;
};

const titles: Record<ActivityKind, string> = {
  codes: "Codes delivered",
  signIns: "Sign-ins",
  publishes: "Publishes",
  evals: "Evaluations",
};

const failures: Record<ActivityKind, string> = {
  codes: "expired",
  signIns: "refused",
  publishes: "refused",
  evals: "failed",
};

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

/** One bar per minute in which something happened. The tallest has the full height; one with a failure is red. */
function barsOf({ done, failed }: Plot): Bar[] {
  const counts = done.map((count, minute) => count + (failed[minute] ?? 0));
  const most = Math.max(...counts);
  return counts.flatMap((count, minute) => {
    if (count === 0) return [];
    const height = (count / most) * (PLOT.height - PLOT.top - 1);
    const isBad = (failed[minute] ?? 0) > 0;
    return [{ x: minute * PLOT.step, y: PLOT.height - 1 - height, height, isBad }];
  });
}

export const plotsOf = (activity: Activity): PlotView[] =>
  ACTIVITY_KINDS.map((kind) => {
    const failed = sum(activity[kind].failed);
    return {
      ...{ kind, title: titles[kind], total: sum(activity[kind].done), bars: barsOf(activity[kind]) },
      failed: failed === 0 ? undefined : counted(failed, failures[kind], failures[kind]),
    };
  });
