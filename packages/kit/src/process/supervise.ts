import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Clock } from "../clock.ts";
import { scrub } from "../scrub.ts";
import { splitLines } from "./lines.ts";
import { type ChildEvent, isProcessMessage, type ProcessMessage } from "./messages.ts";
import { NODE_FLAGS } from "./node-flags.ts";
import { claimPidFile, endLeftover, releasePidFile } from "./pid-file.ts";
import { STOP_DEADLINE_MS } from "./run-process.ts";

export type ChildState = "starting" | "running" | "stopped" | "failed";

export type SuperviseLimits = {
  /** A child that has not said "ready" by then is ended and counts as exited. */
  startDeadlineMs: number;
  /** SIGTERM, then this long, then SIGKILL. */
  stopDeadlineMs: number;
  /** The first restart is at once; then the wait doubles between these two, with jitter. */
  firstWaitMs: number;
  longestWaitMs: number;
  /** More restarts than this within the window, and the child is left `failed` until somebody starts it. */
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

export type SuperviseOptions = {
  name: string;
  /** The program: a module for the Node that runs this process. */
  program: string;
  environment: NodeJS.ProcessEnv;
  /** Names the child while it lives, so that one that outlived its parent is found and ended before another is started. */
  pidFile: string;
  now: Clock;
  random: () => number;
  onEvent: (event: ChildEvent) => void;
  /** Every line it prints, with secrets scrubbed. */
  onLine: (line: string) => void;
  /** What the child tells about processes of its own. */
  onMessage?: (message: ProcessMessage) => void;
  /** Asked whenever a child that ended by itself would be restarted; absent: it always may. */
  mayRestart?: () => boolean;
  limits?: Partial<SuperviseLimits>;
};

export type Supervised = {
  /** Resolves when it runs; rejects with the reason when it does not come up. */
  start(): Promise<void>;
  /** Resolves when it has ended; it is not restarted until start(). */
  stop(): Promise<void>;
  restart(): Promise<void>;
  /** For one that runs but is of no use: ends it, and goes on as if it had ended by itself, so that patience and giving up hold. */
  replace(reason: string): Promise<void>;
  state(): { state: ChildState; pid: number | undefined; startedAtMs: number | undefined; restarts: number };
};

/** One child process, kept running: restarted when it ends by itself, with patience that grows, and given up on in the end. */
export function supervise(options: SuperviseOptions): Supervised {
  const { now, random, onEvent, pidFile, mayRestart = () => true } = options;
  const limits = { ...SUPERVISE_LIMITS, ...options.limits };
  let state: ChildState = "stopped";
  let child: ChildProcess | undefined;
  let startedAtMs: number | undefined;
  let restarts = 0;
  let wanted = false;
  /** Counts the stops that were asked for: a start that was asked before one does not outlive it. */
  let stops = 0;
  let recent: number[] = [];
  let pause: NodeJS.Timeout | undefined;
  let commands: Promise<unknown> = Promise.resolve();

  /** Commands run one after the other: a restart in the middle of a stop would leave two children. */
  function inTurn<T>(command: () => Promise<T>): Promise<T> {
    const result = commands.then(command);
    commands = result.catch(() => {});
    return result;
  }

  async function launch(): Promise<void> {
    clearTimeout(pause);
    wanted = true;
    if (child) return;
    state = "starting";
    await endLeftover(pidFile);
    const launchedAtMs = now();
    const launched = spawnChild(options);
    child = launched;
    if (launched.pid !== undefined) claimPidFile(pidFile, launched.pid);
    const { promise: ready, resolve, reject } = Promise.withResolvers<Extract<ProcessMessage, { type: "ready" }>>();
    let said: string | undefined;
    launched.on("message", (message) => {
      if (!isProcessMessage(message)) return;
      if (message.type === "ready") resolve(message);
      else if (message.type === "failed") said = message.sentence;
      else options.onMessage?.(message);
    });
    launched.on("error", (error) => {
      // It could not be started at all: there will be no "exit".
      if (launched.pid === undefined) child = undefined;
      reject(error);
    });
    launched.once("exit", (code, signal) => {
      child = undefined;
      releasePidFile(pidFile, launched.pid ?? 0);
      const reason = said ?? (signal ? `ended by ${signal}` : `exited with code ${code}`);
      reject(new Error(reason));
      if (state === "running" && wanted) afterExit(launched.pid ?? 0, reason);
    });
    const deadline = setTimeout(() => {
      said = `did not come up within ${Math.round(limits.startDeadlineMs / 1_000)} s`;
      launched.kill("SIGKILL");
    }, limits.startDeadlineMs);
    try {
      const { url, facts = {} } = await ready;
      state = "running";
      startedAtMs = now();
      onEvent({ type: "running", pid: launched.pid ?? 0, url, afterMs: now() - launchedAtMs, facts });
    } catch (error) {
      startedAtMs = undefined;
      state = "failed";
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }

  function afterExit(pid: number, reason: string): void {
    startedAtMs = undefined;
    onEvent({ type: "exited", pid, reason });
    comeBack(reason);
  }

  function whyNotAgain(): string | undefined {
    if (!mayRestart()) return "automatic restart is off";
    return recent.length >= limits.maxRestarts ? `restarted ${recent.length} times, not again` : undefined;
  }

  function giveUp(reason: string): void {
    state = "failed";
    onEvent({ type: "failed", reason });
  }

  function comeBack(reason: string): void {
    recent = recent.filter((atMs) => now() - atMs < limits.restartWindowMs);
    const refusal = whyNotAgain();
    if (refusal !== undefined) {
      giveUp(`${reason.replace(/\.$/, "")}; ${refusal}`);
      return;
    }
    const waitMs = restartWaitMs(recent.length, limits, random);
    recent.push(now());
    state = "starting";
    onEvent({ type: "restarting", inMs: waitMs, attempt: recent.length, reason });
    pause = setTimeout(() => {
      void inTurn(async () => {
        // Somebody stopped or started it meanwhile.
        if (!wanted || child) return;
        if (!mayRestart()) return giveUp(`${reason.replace(/\.$/, "")}; automatic restart is off`);
        restarts += 1;
        await launch().catch((error: Error) => {
          if (wanted) comeBack(error.message);
        });
      });
    }, waitMs);
  }

  /** SIGTERM, and SIGKILL when it has not ended by the deadline. */
  async function end(ending: ChildProcess | undefined): Promise<void> {
    if (!ending?.pid || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, "exit");
    ending.kill("SIGTERM");
    const killer = setTimeout(() => ending.kill("SIGKILL"), limits.stopDeadlineMs);
    await ended;
    clearTimeout(killer);
  }

  async function halt(): Promise<void> {
    wanted = false;
    clearTimeout(pause);
    await end(child);
    if (state !== "stopped") onEvent({ type: "stopped" });
    state = "stopped";
    startedAtMs = undefined;
  }

  return {
    start() {
      const asked = stops;
      return inTurn(async () => {
        if (stops !== asked) throw new Error("stopped before it started");
        recent = [];
        await launch();
      });
    },
    stop() {
      stops += 1;
      wanted = false;
      // One that is coming up is told at once, and not only when it is up.
      if (state === "starting") void end(child);
      return inTurn(halt);
    },
    restart() {
      const asked = stops;
      return inTurn(async () => {
        await halt();
        if (stops !== asked) return;
        recent = [];
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
        // From here on its exit is told once, below, with the reason that counts.
        state = "starting";
        startedAtMs = undefined;
        await end(ending);
        if (wanted) afterExit(ending.pid ?? 0, reason);
      });
    },
    state: () => ({ state, pid: child?.pid, startedAtMs, restarts }),
  };
}

/** At once the first time, then 1 s, 2 s, 4 s … with a quarter of jitter, so that many hosts do not come back in step. */
export function restartWaitMs(earlier: number, limits: SuperviseLimits, random: () => number): number {
  if (earlier === 0) return 0;
  const waitMs = Math.min(limits.firstWaitMs * 2 ** (earlier - 1), limits.longestWaitMs);
  return Math.round(waitMs * (0.75 + 0.5 * random()));
}

/** In a process group of its own: Ctrl-C in the terminal reaches the parent, which then ends its children in order. */
function spawnChild({ program, environment, onLine }: SuperviseOptions): ChildProcess {
  const child = spawn(process.execPath, [...NODE_FLAGS, program], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
    env: environment,
  });
  const take = (line: string) => onLine(scrub(line));
  child.stdout?.setEncoding("utf8").on("data", splitLines(take));
  child.stderr?.setEncoding("utf8").on("data", splitLines(take));
  return child;
}
