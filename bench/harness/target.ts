import { compareWith, type Measure } from "./figures.ts";
import { isDisturbed } from "./quiet.ts";
import type { Round } from "./round.ts";

/** What the ratio of ours to that peer's should be. */
export type Target = {
  measure: Measure;
  peer: string;
  /** A stretch goal; missing it does not count as a miss. */
  isStretch?: boolean;
} & ({ atLeast: number } | { atMost: number });

export type Verdict = {
  sentence: string;
  /** Undefined: unknown, because other work on the machine disturbed too many repetitions. */
  holds: boolean | undefined;
  isStretch: boolean;
};

/** Whether the median ratio meets the target. Latencies are judged by undisturbed repetitions. */
export function judge(target: Target, ours: string, rounds: readonly Round[]): Verdict {
  const { measure, peer, isStretch = false } = target;
  const counted = rounds.filter(({ dropped }) => !dropped);
  const usable = isLatency(measure) ? counted.filter((round) => isQuiet(round, [ours, peer])) : counted;
  const name = isStretch ? "stretch" : "target";
  const bound = "atLeast" in target ? `at least ${short(target.atLeast)}` : `at most ${short(target.atMost)}`;
  const what = `${measure}, ${bound} × ${peer}`;
  if (usable.length * 2 < counted.length) {
    const count = `${usable.length} of ${counted.length}`;
    return {
      sentence: `${name} open: ${what}; only ${count} repetitions were undisturbed`,
      holds: undefined,
      isStretch,
    };
  }
  const ratio = compareWith(peer, ours, usable, measure).ratio.median;
  const holds = "atLeast" in target ? ratio >= target.atLeast : ratio <= target.atMost;
  const used = usable.length === counted.length ? "" : ` in the ${usable.length} undisturbed repetitions`;
  const sentence = `${name} ${holds ? "holds" : "missed"}: ${what}; it is ${ratio.toFixed(2)}${used}`;
  return { sentence, holds, isStretch };
}

/** A bound such as 2 / 3 is printed with two digits, and 2 with one. */
const short = (bound: number): number => Number(bound.toFixed(2));

const isLatency = (measure: Measure): boolean => measure === "p50 ms" || measure === "p99 ms";

function isQuiet({ measurements }: Round, labels: readonly string[]): boolean {
  return labels.every((label) => {
    const measurement = measurements[label];
    return measurement !== undefined && !isDisturbed(measurement);
  });
}
