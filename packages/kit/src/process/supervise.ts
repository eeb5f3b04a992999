import type { Clock } from "../clock.ts";
import { limitConcurrency } from "../toolbox/concurrency.ts";
import { type Child, type ChildOptions, startChild } from "./child.ts";
import type { ChildEvent } from "./messages.ts";
import { STOP_DEADLINE_MS } from "./run-process.ts";

export type ChildState = "starting" | "running" | "stopped" | "failed";

export type SuperviseLimits = {
  /** A child that is not ready by then is ended and counts as exited. */
  startDeadlineMs: number;
  /** SIGTERM, then this long, then SIGKILL. */
  stopDeadlineMs: number;
  /** The first restart is at once; then the wait doubles between these two, with jitter. */
  firstWaitMs: number;
  longestWaitMs: number;
  /** After more restarts than this within the window, the child stays `failed` until somebody starts it. */
  maxRestarts: number;
  restartWindowMs: number;
};

export const SUPERVISE_LIMITS: SuperviseLimits = {
  startDeadlineMs: 30_000,
  stopDeadlineMs: STOP_DEADLINE_MS + 500,
  firstWaitMs: 1_000,
  longestWaitMs: 60_000,
  maxRestarts: 5,
  restartWindowMs: 5 * 60_000,
};

export type SuperviseOptions = Pick<ChildOptions, "program" | "environment" | "pidFile" | "onLine" | "onMessage"> & {
  name: string;
  now: Clock;
  random: () => number;
  onEvent: (event: ChildEvent) => void;
  /** Asked before a child that ended by itself is restarted; absent: it always is. */
  mayRestart?: () => boolean;
  limits?: Partial<SuperviseLimits>;
};

export type Supervised = {
  /** Resolves when it runs; rejects with the reason when it does not come up. */
  start(): Promise<void>;
  /** Resolves when it has ended; it is not restarted until start(). */
  stop(): Promise<void>;
  restart(): Promise<void>;
  /** For a child that runs but does not work: ends it and goes on as if it had ended by itself, with the same waits and limits. */
  replace(reason: string): Promise<void>;
  state(): { state: ChildState; pid: number | undefined; startedAtMs: number | undefined; restarts: number };
};

/**
 * One child process, kept running: restarted when it ends by itself, after waits that grow, and given up on after too many
 * restarts.
 */
export function supervise(options: SuperviseOptions): Supervised {
  const { now, onEvent, pidFile, mayRestart = () => true } = options;
  const limits = { ...SUPERVISE_LIMITS, ...options.limits };
  const restartPolicy = createRestartPolicy({ now, random: options.random, mayRestart, limits });
  /** Commands run one after the other: a restart in the middle of a stop would leave two children. */
  const inTurn = limitConcurrency({ atOnce: 1 });
  let state: ChildState = "stopped";
  let child: Child | undefined;
  let startedAtMs: number | undefined;
  let restarts = 0;
  let wanted = false;
  /** Counts the stops that were asked for: a start that was asked before one does not outlive it. */
  let stops = 0;
  let pause: NodeJS.Timeout | undefined;

  async function launch(): Promise<void> {
    clearTimeout(pause);
    wanted = true;
    if (child) return;
    state = "starting";
    const launchedAtMs = now();
    const launched = await startChild({
      ...options,
      pidFile,
      startDeadlineMs: limits.startDeadlineMs,
      onExit(reason) {
        child = undefined;
        if (state === "running" && wanted) afterExit(launched.pid, reason);
      },
    });
    child = launched;
    try {
      const { url, facts = {} } = await launched.ready;
      state = "running";
      startedAtMs = now();
      onEvent({ type: "running", pid: launched.pid, url, afterMs: now() - launchedAtMs, facts });
    } catch (error) {
      child = undefined;
      startedAtMs = undefined;
      state = "failed";
      throw error;
    }
  }

  function afterExit(pid: number, reason: string): void {
    startedAtMs = undefined;
    onEvent({ type: "exited", pid, reason });
    comeBack(reason);
  }

  function giveUp(reason: string, refusal: string): void {
    state = "failed";
    onEvent({ type: "failed", reason: `${reason.replace(/\.$/, "")}; ${refusal}` });
  }

  function comeBack(reason: string): void {
    const next = restartPolicy.next();
    if ("refusal" in next) {
      giveUp(reason, next.refusal);
      return;
    }
    state = "starting";
    onEvent({ type: "restarting", inMs: next.waitMs, attempt: next.attempt, reason });
    pause = setTimeout(() => void inTurn(() => launchAgain(reason)), next.waitMs);
  }

  async function launchAgain(reason: string): Promise<void> {
    // It was stopped or started meanwhile.
    if (!wanted || child) return;
    if (!mayRestart()) return giveUp(reason, RESTART_IS_OFF);
    restarts += 1;
    await launch().catch((error: Error) => {
      if (wanted) comeBack(error.message);
    });
  }

  async function halt(): Promise<void> {
    wanted = false;
    clearTimeout(pause);
    await child?.end(limits.stopDeadlineMs);
    if (state !== "stopped") onEvent({ type: "stopped" });
    state = "stopped";
    startedAtMs = undefined;
  }

  return {
    start() {
      const asked = stops;
      return inTurn(async () => {
        if (stops !== asked) throw new Error("stopped before it started");
        restartPolicy.forget();
        await launch();
      });
    },
    stop() {
      stops += 1;
      wanted = false;
      // A child that is still coming up is told at once.
      if (state === "starting") void child?.end(limits.stopDeadlineMs);
      return inTurn(halt);
    },
    restart() {
      const asked = stops;
      return inTurn(async () => {
        await halt();
        if (stops !== asked) return;
        restartPolicy.forget();
        restarts += 1;
        await launch().catch((error: Error) => {
          if (wanted) comeBack(error.message);
          throw error;
        });
      });
    },
    replace(reason) {
      return inTurn(async () => {
        const ending = child;
        if (!ending || state !== "running") return;
        // From here on its exit is reported once, below, with the reason that counts.
        state = "starting";
        startedAtMs = undefined;
        await ending.end(limits.stopDeadlineMs);
        if (wanted) afterExit(ending.pid, reason);
      });
    },
    state: () => ({ state, pid: child?.pid, startedAtMs, restarts }),
  };
}

const RESTART_IS_OFF = "automatic restart is off";

type RestartPolicy = {
  /** How long to wait before the next restart, or why there is none. */
  next(): { waitMs: number; attempt: number } | { refusal: string };
  /** A person started it: earlier restarts no longer count. */
  forget(): void;
};

function createRestartPolicy({
  now,
  random,
  mayRestart,
  limits,
}: Required<Pick<SuperviseOptions, "now" | "random" | "mayRestart">> & { limits: SuperviseLimits }): RestartPolicy {
  let recentMs: number[] = [];
  return {
    next() {
      recentMs = recentMs.filter((atMs) => now() - atMs < limits.restartWindowMs);
      if (!mayRestart()) return { refusal: RESTART_IS_OFF };
      if (recentMs.length >= limits.maxRestarts) return { refusal: `restarted ${recentMs.length} times, not again` };
      const waitMs = restartWaitMs(recentMs.length, limits, random);
      recentMs.push(now());
      return { waitMs, attempt: recentMs.length };
    },
    forget() {
      recentMs = [];
    },
  };
}

/** At once the first time, then 1 s, 2 s, 4 s … with a quarter of jitter, so that many hosts do not come back in step. */
export function restartWaitMs(earlier: number, limits: SuperviseLimits, random: () => number): number {
  if (earlier === 0) return 0;
  const waitMs = Math.min(limits.firstWaitMs * 2 ** (earlier - 1), limits.longestWaitMs);
  return Math.round(waitMs * (0.75 + 0.5 * random()));
}
