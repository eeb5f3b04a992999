import type { Clock } from "@backplane/kit/clock";
import type { Log } from "@backplane/kit/log";

/** An endpoint that is down fails for every screenshot; one line a minute says so. */
const COMPLAIN_EVERY_MS = 60_000;

/** A warning that repeats itself once a minute at most. */
export function createComplaints(log: Pick<Log, "warn">, now: Clock): (sentence: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (sentence) => {
    const nowMs = now();
    if (nowMs - lastMs < COMPLAIN_EVERY_MS) return;
    lastMs = nowMs;
    log.warn(sentence);
  };
}
