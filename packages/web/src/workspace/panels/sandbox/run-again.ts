import { type EvalEnding, type JournalEval, PANELS_LIMITS } from "@backplane/contract/panels";
import { endingOf } from "./frame-calls.ts";
import type { SandboxFrame } from "./open-frame.ts";

/** Why a frame does not show all that was drawn before. */
export type LeftOut =
  /** More code ran than is kept, or it was too long ago. */
  | "too-much"
  | "unread"
  /** Up to code that did not end then: it is not tried again. */
  | "stopped"
  /** Code that ended then does not end now. */
  | "stuck"
  | "late"
  /** Code ended in another way than then. */
  | "differs";

const { replayWithinMs } = PANELS_LIMITS;
/** Time for what the code left for later, such as a timer that never ends. */
export const A_MOMENT = "new Promise((done) => setTimeout(done, 50))";

/**
 * Runs code again in a new frame, in the order in which it ran. Its callers had their answers then and get none now; their
 * time limits are over, so that one for all of it applies.
 */
export async function runAgain(
  evals: readonly JournalEval[],
  run: SandboxFrame["run"],
  now: () => number = Date.now,
): Promise<LeftOut | undefined> {
  const untilMs = now() + replayWithinMs;
  let left: LeftOut | undefined;
  for (const { code, isPrepared, ended } of evals) {
    if (ended === "stopped") return "stopped";
    const leftMs = untilMs - now();
    if (leftMs <= 0) return "late";
    const running = run(code, isPrepared, leftMs, untilMs);
    // Its promise was pending when the next code came. The frame begins with them in the order of these calls.
    if (ended === "pending") continue;
    const again = endingOf(await running);
    if (isStuck(again)) return "stuck";
    if (again === "pending") return "late";
    if (again !== ended) left = "differs";
  }
  const answers = await run(A_MOMENT, false, replayWithinMs, now() + replayWithinMs);
  return isStuck(endingOf(answers)) ? "stuck" : left;
}

/** Undefined: it did not run, because other code never ends. */
const isStuck = (ended: EvalEnding | undefined): boolean => ended === "stopped" || ended === undefined;

const { maxJournalEvals, maxJournalBytes, journalLifeMs } = PANELS_LIMITS;
const [MEBIBYTE, DAY_MS] = [1_048_576, 86_400_000];

const KEPT = `${maxJournalEvals} evals, ${maxJournalBytes / MEBIBYTE} MiB, ${journalLifeMs / DAY_MS} days`;

const LEFT_OUT_WORDS: Record<LeftOut, string> = {
  "too-much": `It was more than is kept (${KEPT}), so what it drew is gone. Run the program again.`,
  unread: "It could not be read, so what it drew is not shown. Reload the page to try again.",
  stopped: "What was drawn is shown up to code that did not finish. That code was not run again.",
  stuck: "It was run again, but does not finish now. It was stopped, and what it drew is gone.",
  late: `Running it again takes longer than ${replayWithinMs / 1_000} s, so only a part of what it drew is shown.`,
  differs: "It was run again, but a part of it failed this time, so what is shown may differ.",
};

/** Says that the frame began without what ran before, and why something of it is missing. */
export const leftOutWords = (left: LeftOut, isNew: boolean): string =>
  `${isNew ? "This page was loaded after code ran here." : "Code ran here in another window."} ${LEFT_OUT_WORDS[left]}`;

export const ranAgainWords = (count: number): string =>
  count === 1
    ? "1 eval that ran here before was run again, to show what it drew."
    : `${count} evals that ran here before were run again, to show what they drew.`;
