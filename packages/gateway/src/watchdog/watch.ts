import { type CheckOutcome, MAX_CHECKS, SLOW_CHECK_MS, type WatchdogStatus } from "@backplane/contract/gateway";
import { type ChildEvent, type HealthWatchOptions, watchHealth } from "@backplane/kit/supervise";

export type WatchOptions = Pick<HealthWatchOptions, "healthUrl" | "fetch" | "now"> & {
  gateway: HealthWatchOptions["child"];
  onFailure: (error: string, consecutive: number) => void;
  /** The first answer after failures, and how long after the first of them. */
  onAnswer: (afterMs: number) => void;
  onRestart: (reason: string) => void;
};

export type Watch = {
  /** Checks once. Restarts the gateway after the third failure in a row, if automatic restart is on. */
  check(): Promise<void>;
  /** The gateway started, stopped or was replaced: the count of failures starts again at zero. */
  follow(event: ChildEvent): void;
  setAutoRestart(enabled: boolean): void;
  autoRestart(): boolean;
  pending(): number | null;
  checks(): ReadonlyArray<{ atMs: number; outcome: CheckOutcome }>;
  status(): WatchdogStatus;
};

/** Watches the gateway's health, and keeps what the page and the commands show about it. */
export function watchGateway({ gateway, healthUrl, fetch, now, onFailure, onAnswer, onRestart }: WatchOptions): Watch {
  const checks: { atMs: number; outcome: CheckOutcome }[] = [];
  let autoRestart = true;
  let lastCheck: WatchdogStatus["lastCheck"] = null;
  let pending: number | null = null;
  let failingSinceMs: number | undefined;

  const health = watchHealth({
    ...{ child: gateway, healthUrl, fetch, now },
    mayReplace: () => autoRestart,
    onReplace: onRestart,
    onSkipped: (atMs) => keepLast(checks, { atMs, outcome: "none" }, MAX_CHECKS),
    onCheck(check, consecutiveFailures) {
      const { ok, atMs, latencyMs } = check;
      const outcome = ok ? (latencyMs > SLOW_CHECK_MS ? "slow" : "ok") : "failed";
      keepLast(checks, { atMs, outcome }, MAX_CHECKS);
      lastCheck = { at: new Date(atMs).toISOString(), ok, latencyMs, ...(check.ok ? {} : { error: check.error }) };
      if (check.ok) {
        pending = pendingOf(check.body);
        if (failingSinceMs !== undefined) onAnswer(now() - failingSinceMs);
        failingSinceMs = undefined;
      } else {
        failingSinceMs ??= atMs;
        onFailure(check.error, consecutiveFailures);
      }
    },
  });

  return {
    check: health.check,
    follow({ type }) {
      health.reset();
      pending = null;
      if (type === "stopped") failingSinceMs = undefined;
    },
    setAutoRestart(enabled) {
      autoRestart = enabled;
    },
    autoRestart: () => autoRestart,
    pending: () => pending,
    checks: () => checks,
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
        consecutiveFailures: health.consecutiveFailures(),
        restarts,
      };
    },
  };
}

/** The HTTP status decides about health; the body may lack the count. */
function pendingOf(body: string): number | null {
  try {
    const { pending } = JSON.parse(body) as { pending?: unknown };
    return typeof pending === "number" && Number.isInteger(pending) ? pending : null;
  } catch {
    return null;
  }
}

/** Appends an item and drops the oldest one beyond the limit. */
export function keepLast<T>(items: T[], item: T, max: number): void {
  items.push(item);
  if (items.length > max) items.shift();
}
