import type { LogEntry } from "@backplane/contract/panels";
import { useCallback, useRef, useState } from "react";

/**
 * Following shows every line as it comes. Paused keeps what is shown still, whatever comes meanwhile: the lines of that
 * moment are held here, so that not even the oldest ones, when they are dropped, move what somebody reads.
 */
export function useFollow(lines: readonly LogEntry[]) {
  const [held, setHeld] = useState<readonly LogEntry[]>();
  const newest = useRef(lines);
  newest.current = lines;
  const pause = useCallback(() => setHeld((now) => now ?? newest.current), []);
  const resume = useCallback(() => setHeld(undefined), []);
  const lastHeld = held?.at(-1)?.id ?? -1;
  return {
    isPaused: held !== undefined,
    shown: held ?? lines,
    fresh: held ? lines.filter(({ id }) => id > lastHeld) : [],
    pause,
    resume,
  };
}
