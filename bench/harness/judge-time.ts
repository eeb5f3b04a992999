import { latencyOf } from "./figures.ts";
import type { Round } from "./round.ts";
import type { Verdict } from "./target.ts";

/** Whether the median time of ours is at most this, by the clock: valid on a quiet machine only. */
export function judgeTime(ours: string, rounds: readonly Round[], maxMs: number): Verdict {
  const ms = latencyOf(ours, rounds)?.p50Ms.median ?? Number.NaN;
  const holds = ms <= maxMs;
  const sentence = `target ${holds ? "holds" : "missed"}: ${ours}, at most ${maxMs} ms; it is ${Math.round(ms)} ms`;
  return { sentence, holds, isStretch: false };
}
