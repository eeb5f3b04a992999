import { createProgress, type Progress } from "./progress.ts";
import { type Result, renderResult } from "./table.ts";

/** One `npm run bench`: what its comparisons share. */
export type Session = {
  quick: boolean;
  signal: AbortSignal;
  progress: Progress["say"];
  clearProgress: Progress["clear"];
  /** Prints a comparison and keeps it for `--json`. */
  report(result: Result): void;
  results: readonly Result[];
};

export function createSession(quick: boolean, signal: AbortSignal): Session {
  const progress = createProgress(process.stderr);
  const results: Result[] = [];
  return {
    quick,
    signal,
    results,
    progress: progress.say,
    clearProgress: progress.clear,
    report(result) {
      results.push(result);
      progress.clear();
      process.stdout.write(`${quick ? "QUICK, not to be quoted · " : ""}${renderResult(result)}\n`);
    },
  };
}
