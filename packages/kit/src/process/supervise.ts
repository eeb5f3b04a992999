import type { Clock } from "../clock.ts";
import { limitConcurrency } from "../toolbox/concurrency.ts";
import { type Child, type ChildOptions, startChild } from "./child.ts";
import { SUPERVISE_LIMITS, type SuperviseLimits } from "./limits.ts";
import type { ChildEvent, ParentMessage } from "./messages.ts";
import { createRestartPolicy, RESTART_IS_OFF, type RestartPolicy } from "./restart-policy.ts";

export type ChildState = "starting" | "running" | "stopped" | "failed";

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
  /** Resolves when it runs; rejects with the reason when it does not come up. With `keepTrying`, it is then tried again. */
  start(options?: { keepTrying?: boolean }): Promise<void>;
  /** Resolves when it has ended; it is not restarted until start(). */
  stop(): Promise<void>;
  restart(): Promise<void>;
  /** For a child that runs but does not work: ends it and goes on as if it had ended by itself, with the same waits. */
  replace(reason: string): Promise<void>;
  /** Lost when it is not running. */
  tell(message: ParentMessage): void;
  state(): { state: ChildState; pid: number | undefined; startedAtMs: number | undefined; restarts: number };
};

/** One child process, kept running: restarted when it ends by itself, after waits that grow, for as long as it takes. */
export const supervise = (options: SuperviseOptions): Supervised => new Supervisor(options);

/** First what callers ask for, then what happens to the child. */
class Supervisor implements Supervised {
  readonly #options: SuperviseOptions;
  readonly #limits: SuperviseLimits;
  readonly #mayRestart: () => boolean;
  readonly #restartPolicy: RestartPolicy;
  /** Commands run one after the other: a restart in the middle of a stop would leave two children. */
  readonly #inTurn = limitConcurrency({ atOnce: 1 });
  #state: ChildState = "stopped";
  #child: Child | undefined;
  #startedAtMs: number | undefined;
  #restarts = 0;
  /** Whether the last command was to run it. */
  #isWanted = false;
  /** Counts the stops that were asked for: a start that was asked for before a stop does not outlive it. */
  #stops = 0;
  #restartTimer: NodeJS.Timeout | undefined;

  constructor(options: SuperviseOptions) {
    const { now, random, mayRestart = () => true } = options;
    this.#options = options;
    this.#limits = { ...SUPERVISE_LIMITS, ...options.limits };
    this.#mayRestart = mayRestart;
    this.#restartPolicy = createRestartPolicy({ now, random, mayRestart, limits: this.#limits });
  }

  state() {
    return {
      state: this.#state,
      pid: this.#child?.pid,
      startedAtMs: this.#startedAtMs,
      restarts: this.#restarts,
    };
  }

  start({ keepTrying = false } = {}): Promise<void> {
    const stopsBefore = this.#stops;
    return this.#inTurn(async () => {
      if (this.#stops !== stopsBefore) throw new Error("stopped before it started");
      this.#restartPolicy.reset();
      await (keepTrying ? this.#launchOrTryAgain() : this.#launch());
    });
  }

  stop(): Promise<void> {
    this.#stops += 1;
    this.#isWanted = false;
    // Do not wait for a child that is still coming up.
    if (this.#state === "starting") void this.#child?.end(this.#limits.stopDeadlineMs);
    return this.#inTurn(() => this.#halt());
  }

  restart(): Promise<void> {
    const stopsBefore = this.#stops;
    return this.#inTurn(async () => {
      await this.#halt();
      if (this.#stops !== stopsBefore) return;
      this.#restartPolicy.reset();
      this.#restarts += 1;
      await this.#launchOrTryAgain();
    });
  }

  replace(reason: string): Promise<void> {
    return this.#inTurn(async () => {
      const ending = this.#child;
      if (!ending || this.#state !== "running") return;
      // From here on its exit is reported once, below, with the reason that counts.
      this.#state = "starting";
      this.#startedAtMs = undefined;
      await ending.end(this.#limits.replaceDeadlineMs);
      if (this.#isWanted) this.#afterExit(ending.pid, reason);
    });
  }

  tell(message: ParentMessage): void {
    this.#child?.tell(message);
  }

  async #launch(): Promise<void> {
    const { now, onEvent } = this.#options;
    clearTimeout(this.#restartTimer);
    this.#isWanted = true;
    if (this.#child) return;
    this.#state = "starting";
    const launchedAtMs = now();
    const child = await startChild({
      ...this.#options,
      startDeadlineMs: this.#limits.startDeadlineMs,
      onExit: (reason) => {
        this.#child = undefined;
        if (this.#state === "running" && this.#isWanted) this.#afterExit(child.pid, reason);
      },
    });
    this.#child = child;
    try {
      const { url, facts = {} } = await child.ready;
      this.#state = "running";
      this.#startedAtMs = now();
      onEvent({ type: "running", pid: child.pid, url, afterMs: now() - launchedAtMs, facts });
    } catch (error) {
      this.#child = undefined;
      this.#startedAtMs = undefined;
      this.#state = "failed";
      throw error;
    }
  }

  /** Rejects when it does not come up, and tries again later. */
  #launchOrTryAgain(): Promise<void> {
    return this.#launch().catch((error: Error) => {
      if (this.#isWanted) this.#scheduleRestart(error.message);
      throw error;
    });
  }

  async #halt(): Promise<void> {
    this.#isWanted = false;
    clearTimeout(this.#restartTimer);
    await this.#child?.end(this.#limits.stopDeadlineMs);
    if (this.#state !== "stopped") this.#options.onEvent({ type: "stopped" });
    this.#state = "stopped";
    this.#startedAtMs = undefined;
  }

  #afterExit(pid: number, reason: string): void {
    this.#startedAtMs = undefined;
    this.#options.onEvent({ type: "exited", pid, reason });
    this.#scheduleRestart(reason);
  }

  #scheduleRestart(reason: string): void {
    const next = this.#restartPolicy.next();
    if ("refusal" in next) {
      this.#giveUp(reason, next.refusal);
      return;
    }
    this.#state = "starting";
    this.#options.onEvent({ type: "restarting", inMs: next.waitMs, attempt: next.attempt, reason });
    this.#restartTimer = setTimeout(() => void this.#inTurn(() => this.#restartNow(reason)), next.waitMs);
  }

  async #restartNow(reason: string): Promise<void> {
    // It was stopped or started in the meantime.
    if (!this.#isWanted || this.#child) return;
    if (!this.#mayRestart()) return this.#giveUp(reason, RESTART_IS_OFF);
    this.#restarts += 1;
    await this.#launchOrTryAgain().catch(() => {});
  }

  #giveUp(reason: string, refusal: string): void {
    this.#state = "failed";
    this.#options.onEvent({ type: "failed", reason: `${reason.replace(/\.$/, "")}; ${refusal}` });
  }
}
