import { spliceBetween } from "@backplane/kicad/merge";
import { FileFault, rebaseSplices, type Splice } from "@backplane/kicad/sexpr";

/** Splices by file: one step for undo or redo. */
export type Step = Map<string, readonly Splice[]>;

/**
 * Steps, the last of which is the next to be taken, after somebody else made `after` of a file that was `before`. Steps that
 * are about the same places, and those below them, cannot be taken any more.
 */
export function rebaseSteps(steps: readonly Step[], path: string, before: string, after: string): Step[] {
  let outside: readonly Splice[] | undefined = differences(before, after);
  const kept: Step[] = [];
  for (const step of steps.toReversed()) {
    const splices = step.get(path);
    if (splices === undefined) {
      kept.unshift(step);
      continue;
    }
    const rebased = outside && rebase(splices, outside);
    // The same change of the text that this step leads to, for the steps below.
    outside = rebased && outside && rebase(outside, splices);
    if (rebased && outside) kept.unshift(new Map([...step, [path, rebased]]));
  }
  return kept;
}

function differences(before: string, after: string): Splice[] | undefined {
  try {
    return spliceBetween(before, after);
  } catch (error) {
    if (error instanceof FileFault) return undefined;
    throw error;
  }
}

/** Of two insertions at one place nobody can say which comes first. */
function rebase(splices: readonly Splice[], others: readonly Splice[]): readonly Splice[] | undefined {
  const isInsertion = ({ start, end }: Splice) => start === end;
  const places = new Set(others.filter(isInsertion).map(({ start }) => start));
  const isUnclear = splices.some((splice) => isInsertion(splice) && places.has(splice.start));
  return isUnclear ? undefined : rebaseSplices(splices, others);
}
