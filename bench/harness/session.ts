import { createProgress, type Progress } from "./progress.ts";
import { type Result, renderResult, verdictsOf } from "./table.ts";
import type { Verdict } from "./target.ts";

/** One `npm run bench`: what its comparisons share. */
export type Session = {
  quick: boolean;
  /** The one case to run of a bench that has several. */
  only: string | undefined;
  /** How long a case holds its connections, instead of its default. */
  holdS: number | undefined;
  /** The largest size of a bench that measures several. */
  upTo: number | undefined;
  signal: AbortSignal;
  progress: Progress["say"];
  clearProgress: Progress["clear"];
  /** Prints a comparison and keeps it for `--json`. */
  report(result: Result): void;
  results: readonly Result[];
  /** Prints lines that are not a comparison, and records whether an absolute target was met. */
  say(lines: readonly string[], verdicts?: readonly Verdict[]): void;
  verdicts: readonly Verdict[];
};

type SessionOptions = Pick<Session, "quick" | "only" | "holdS" | "upTo">;

export function createSession(options: SessionOptions, signal: AbortSignal): Session {
  const { quick } = options;
  const progress = createProgress(process.stderr);
  const results: Result[] = [];
  const verdicts: Verdict[] = [];
  const print = (text: string) => {
    progress.clear();
    process.stdout.write(`${quick ? "QUICK, not to be quoted · " : ""}${text}\n`);
  };
  return {
    ...options,
    signal,
    results,
    verdicts,
    progress: progress.say,
    clearProgress: progress.clear,
    report(result) {
      results.push(result);
      verdicts.push(...verdictsOf(result));
      print(renderResult(result));
    },
    say(lines, judged = []) {
      verdicts.push(...judged);
      print([...lines, ...judged.map(({ sentence }) => `  ${sentence}`), ""].join("\n"));
    },
  };
}
