import {
  type CheckOutcome,
  FAILURES_BEFORE_RESTART,
  MAX_CHECKS,
  SLOW_CHECK_MS,
  type WatchdogStatus,
} from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import type { ChildEvent, Supervised } from "@backplane/kit/process";
import { probe } from "./probe.ts";
import { createRing } from "./ring.ts";

export type WatchOptions = {
  gateway: Pick<Supervised, "replace" | "state">;
  healthUrl: string;
  fetch: typeof globalThis.fetch;
  now: Clock;
  onFailure: (error: string, consecutive: number) => void;
  /** The first answer after failures, and how long after the first of them. */
  onAnswer: (afterMs: number) => void;
  onRestart: (reason: string) => void;
};

export type Watch = {
  /** One check; restarts the gateway when it was the third failure in a row, unless that is turned off. */
  check(): Promise<void>;
  /** Another one runs, or none: failures are counted anew. */
  follow(event: ChildEvent): void;
  setAutoRestart(enabled: boolean): void;
  autoRestart(): boolean;
  pending(): number | null;
  checks(): ReadonlyArray<{ atMs: number; outcome: CheckOutcome }>;
  status(): WatchdogStatus;
};

/** Restarts a gateway that is alive but hung. One that ended is restarted by its supervisor, without waiting for a check. */
export function watchGateway(options: WatchOptions): Watch {
  const { gateway, healthUrl, fetch, now, onFailure, onAnswer, onRestart } = options;
  const checks = createRing<{ atMs: number; outcome: CheckOutcome }>(MAX_CHECKS);
  let autoRestart = true;
  let lastCheck: WatchdogStatus["lastCheck"] = null;
  let pending: number | null = null;
  let consecutiveFailures = 0;
  let failingSinceMs: number | undefined;
  let isChecking = false;

  async function check(): Promise<void> {
    const atMs = now();
    const { state, pid } = gateway.state();
    // While it is down or coming up there is nothing to ask; the supervisor is at it.
    if (state !== "running") return checks.push({ atMs, outcome: "none" });
    const probed = await probe(healthUrl, fetch);
    // Stopped or replaced meanwhile: the answer is about one that is gone.
    const after = gateway.state();
    if (after.pid !== pid || after.state !== "running") return;
    const latencyMs = now() - atMs;
    checks.push({ atMs, outcome: probed.ok ? (latencyMs > SLOW_CHECK_MS ? "slow" : "ok") : "failed" });
    const { ok } = probed;
    lastCheck = { at: new Date(atMs).toISOString(), ok, latencyMs, ...(ok ? {} : { error: probed.error }) };
    if (probed.ok) {
      pending = probed.pending;
      consecutiveFailures = 0;
      if (failingSinceMs !== undefined) onAnswer(now() - failingSinceMs);
      failingSinceMs = undefined;
      return;
    }
    failingSinceMs ??= atMs;
    consecutiveFailures += 1;
    onFailure(probed.error, consecutiveFailures);
    if (consecutiveFailures < FAILURES_BEFORE_RESTART || !autoRestart) return;
    consecutiveFailures = 0;
    const reason = `failed ${FAILURES_BEFORE_RESTART} checks in a row`;
    onRestart(reason);
    await gateway.replace(reason);
  }

  /** One at a time: a check that also restarts outlasts the interval, and the next would ask the one that is being ended. */
  async function checkAlone(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    await check().finally(() => {
      isChecking = false;
    });
  }

  return {
    check: checkAlone,
    follow({ type }) {
      consecutiveFailures = 0;
      pending = null;
      if (type === "stopped") failingSinceMs = undefined;
    },
    setAutoRestart(enabled) {
      autoRestart = enabled;
    },
    autoRestart: () => autoRestart,
    pending: () => pending,
    checks: () => checks.items(),
    status() {
      const { state, pid, startedAtMs, restarts } = gateway.state();
      return {
        autoRestart,
        gateway: {
          state,
          pid: pid ?? null,
          uptime: startedAtMs === undefined ? null : Math.floor((now() - startedAtMs) / 1_000),
        },
        lastCheck,
        consecutiveFailures,
        restarts,
      };
    },
  };
}
