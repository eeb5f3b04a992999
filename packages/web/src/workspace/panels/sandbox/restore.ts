import { type EvalRun, type Order, PANELS_LIMITS, type SandboxJournal } from "@backplane/contract/panels";
import { mountWaitMs } from "../../live/orders.ts";
import { OrderRefused, type PanelContext } from "../../panel.ts";
import { endsWithin } from "./code-frame.ts";
import { endingOf, type Outcome } from "./frame-calls.ts";
import type { SandboxFrame } from "./open-frame.ts";
import { type LeftOut, runAgain } from "./run-again.ts";

/** `count` evals were run again in the frame. `isNew`: nothing had run in it before. */
export type Restored = { readonly count: number; readonly left: LeftOut | undefined; readonly isNew: boolean };

type Options = {
  context: Pick<PanelContext, "isPrimary" | "onPrimary" | "announce">;
  /** Distinguishes the runs of this window from those of others. */
  windowName: string;
  /** Undefined: it could not be read. */
  read(): Promise<SandboxJournal | undefined>;
  /** The frame that is shown, after it was replaced if this generation is newer. */
  follow(generation: number): SandboxFrame;
  /** An empty frame in place of one that does not answer. */
  replace(): SandboxFrame;
  onRestored(restored: Restored): void;
};

/** A frame that has not loaded by then shows nothing of what was drawn. */
const LOAD_WITHIN_MS = 20_000;

/** What a frame has: ids of the runs in it, as many as a journal has, and whether it is past comparing. */
type Known = { ids: Set<string>; isOver: boolean };

/**
 * Shows in a new frame what was drawn before: it runs the code again that ran in other frames of its generation, before any
 * new code. So it does when this window becomes the one that answers, because the code ran in another one until then.
 */
export function createRestore({ context, windowName, read, follow, replace, onRestored }: Options) {
  const frames = new WeakMap<SandboxFrame, Known>();
  let runs = 0;
  let working = 0;
  let last: Promise<void> = Promise.resolve();
  let hasRefused = false;
  let isReplaying = false;
  let isDisposed = false;

  function knownOf(frame: SandboxFrame): Known {
    const known = frames.get(frame) ?? { ids: new Set(), isOver: false };
    frames.set(frame, known);
    return known;
  }

  function end(frame: SandboxFrame, restored: Restored): void {
    if (restored.left !== undefined) knownOf(frame).isOver = true;
    onRestored(restored);
  }

  async function catchUp(): Promise<void> {
    const journal = await read();
    if (isDisposed) return;
    const frame = follow(journal?.generation ?? 0);
    const { ids, isOver } = knownOf(frame);
    const isNew = ids.size === 0;
    if (journal === undefined) {
      if (isNew) onRestored({ count: 0, left: "unread", isNew });
      return;
    }
    if (isOver || journal.generation < frame.generation) return;
    if (!journal.isWhole) return isNew ? end(frame, { count: 0, left: "too-much", isNew }) : undefined;
    const missing = journal.evals.filter(({ id }) => !ids.has(id));
    if (missing.length === 0) return isNew ? end(frame, { count: 0, left: undefined, isNew }) : undefined;
    if (!(await endsWithin(frame.ready, LOAD_WITHIN_MS))) return end(frame, { count: 0, left: "late", isNew });
    for (const { id } of missing) ids.add(id);
    isReplaying = true;
    const left = await runAgain(missing, frame.run).finally(() => {
      isReplaying = false;
    });
    // The tab was closed, or a reset has replaced the frame.
    if (isDisposed || follow(journal.generation) !== frame) return;
    end(left === "stuck" ? replace() : frame, { count: missing.length, left, isNew });
  }

  function start(): Promise<void> {
    working += 1;
    last = last
      .then(catchUp)
      .catch((error: unknown) => reportError(error))
      .then(() => {
        working -= 1;
        if (working > 0 || !hasRefused) return;
        hasRefused = false;
        context.announce();
      });
    return last;
  }

  const stopListening = context.onPrimary(() => void start());

  return {
    start,
    /** What the code prints now, it printed before. */
    isReplaying: (): boolean => isReplaying,

    /** Until what ran before is there. Code that would have to wait for long is refused, and waits at the server. */
    async whenDone(order: Extract<Order, { kind: "eval" }>): Promise<void> {
      // The order was faster than the word that this window answers now.
      if (!context.isPrimary()) void start();
      if (working === 0 || (await endsWithin(last, mountWaitMs(order)))) return;
      hasRefused = true;
      throw new OrderRefused("not-mounted", "This browser is still drawing what ran here before.");
    },

    /** What the server is told about code that ran in this frame; undefined: it did not run. */
    noteRun(frame: SandboxFrame, outcome: Outcome): EvalRun | undefined {
      const ended = endingOf(outcome);
      if (ended === undefined) return undefined;
      runs += 1;
      const id = `${windowName}-${runs}`;
      const known = knownOf(frame);
      if (known.ids.size < PANELS_LIMITS.maxJournalEvals) known.ids.add(id);
      else known.isOver = true;
      return { id, generation: frame.generation, ended };
    },

    dispose(): void {
      isDisposed = true;
      stopListening();
    },
  };
}
