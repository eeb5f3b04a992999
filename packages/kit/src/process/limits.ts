import type { Settings } from "../settings.ts";

/** At a stop, requests in flight have this long to be answered. */
export const DRAIN_REQUESTS_MS = 2_000;

/**
 * With `DRAIN_DELAY_S`: longer than any request that waits for a browser. The proxy would make a 502 of one that is cut off,
 * and nobody could tell whether it was done.
 */
export const DRAIN_REQUESTS_BEHIND_PROXY_MS = 70_000;

/** With `DRAIN_DELAY_S`: how long a proxy that connected just before the end may take to send its request. */
export const DRAIN_CONNECTED_MS = 500;

/** With `DRAIN_DELAY_S`, uploads in flight have this long, within the limits of their routes. */
export const DRAIN_UPLOADS_MS = 10 * 60_000;

/** How long a process has to stop, its requests included. Its parent waits a little longer before it kills it. */
export const STOP_DEADLINE_MS = 4_000;

/** How much longer a stop may take with `DRAIN_DELAY_S`. */
export const drainTimeMs = ({ drainDelayMs }: Pick<Settings, "drainDelayMs">): number =>
  drainDelayMs === 0 ? 0 : drainDelayMs + DRAIN_UPLOADS_MS;

export type SuperviseLimits = {
  /** A child that is not ready by then is ended and counts as exited. */
  startDeadlineMs: number;
  /** SIGTERM, then this long, then SIGKILL. */
  stopDeadlineMs: number;
  /** The same for a child that hangs. */
  replaceDeadlineMs: number;
  /** The first restart is at once; then the wait doubles between these two, with jitter. */
  firstWaitMs: number;
  longestWaitMs: number;
  /** Older restarts no longer make the wait longer. */
  restartWindowMs: number;
};

/** With more restarts than this within the window, `backplane up --exit-on-failure` ends. Without that option, restarts go on. */
export const RESTARTS_BEFORE_EXIT = 5;

export const SUPERVISE_LIMITS: SuperviseLimits = {
  startDeadlineMs: 30_000,
  stopDeadlineMs: STOP_DEADLINE_MS + 500,
  replaceDeadlineMs: STOP_DEADLINE_MS + 500,
  firstWaitMs: 1_000,
  longestWaitMs: 30_000,
  restartWindowMs: 5 * 60_000,
};
