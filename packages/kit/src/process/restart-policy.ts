import type { Clock } from "../clock.ts";
import type { SuperviseLimits } from "./limits.ts";

export type RestartPolicy = {
  /** How long to wait before the next restart and how many there were lately, or why there is none. */
  next(): { waitMs: number; attempt: number } | { refusal: string };
  /** Somebody started it: earlier restarts no longer count. */
  reset(): void;
};

export type RestartPolicyOptions = {
  now: Clock;
  random: () => number;
  mayRestart: () => boolean;
  limits: Pick<SuperviseLimits, "firstWaitMs" | "longestWaitMs" | "restartWindowMs">;
};

export const RESTART_IS_OFF = "automatic restart is off";

/** Decides whether and when a child that ended by itself is restarted. */
export function createRestartPolicy({ now, random, mayRestart, limits }: RestartPolicyOptions): RestartPolicy {
  let recentMs: number[] = [];
  return {
    next() {
      recentMs = recentMs.filter((atMs) => now() - atMs < limits.restartWindowMs);
      if (!mayRestart()) return { refusal: RESTART_IS_OFF };
      const waitMs = restartWaitMs(recentMs.length, limits, random);
      recentMs.push(now());
      return { waitMs, attempt: recentMs.length };
    },
    reset() {
      recentMs = [];
    },
  };
}

/** At once the first time, then 1 s, 2 s, 4 s … up to 30 s, with a quarter of jitter, so that many hosts do not come back in step. */
export function restartWaitMs(
  earlier: number,
  { firstWaitMs, longestWaitMs }: Pick<SuperviseLimits, "firstWaitMs" | "longestWaitMs">,
  random: () => number,
): number {
  if (earlier === 0) return 0;
  const waitMs = firstWaitMs * 2 ** (earlier - 1) * (0.75 + 0.5 * random());
  return Math.round(Math.min(waitMs, longestWaitMs));
}
