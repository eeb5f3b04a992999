import {
  CHECK_TIMEOUT_MS,
  type CheckOutcome,
  FAILURES_BEFORE_RESTART,
  MAX_CHECKS,
  SLOW_CHECK_MS,
  type WatchdogStatus,
} from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import type { ChildEvent, Supervised } from "@backplane/kit/process";

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

/** Restarts a gateway that hangs. One that exited is restarted by its supervisor, without waiting for a check. */
export function watchGateway(options: WatchOptions): Watch {
  const { gateway, healthUrl, fetch, now, onFailure, onAnswer, onRestart } = options;
  const checks: { atMs: number; outcome: CheckOutcome }[] = [];
  let autoRestart = true;
  let lastCheck: WatchdogStatus["lastCheck"] = null;
  let pending: number | null = null;
  let consecutiveFailures = 0;
  let failingSinceMs: number | undefined;
  let isChecking = false;

  async function check(): Promise<void> {
    const atMs = now();
    const { state, pid } = gateway.state();
    // While it is down or starting there is nothing to ask; the supervisor takes care of it.
    if (state !== "running") return keepLast(checks, { atMs, outcome: "none" }, MAX_CHECKS);
    const probed = await probe(healthUrl, fetch);
    // Stopped or replaced in the meantime: the answer is about a process that is gone.
    const after = gateway.state();
    if (after.pid !== pid || after.state !== "running") return;
    const latencyMs = now() - atMs;
    const outcome = probed.ok ? (latencyMs > SLOW_CHECK_MS ? "slow" : "ok") : "failed";
    keepLast(checks, { atMs, outcome }, MAX_CHECKS);
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

  /** One at a time: a check that also restarts takes longer than the interval, and the next would ask the old process. */
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
        consecutiveFailures,
        restarts,
      };
    },
  };
}

type Probed = { ok: true; pending: number | null } | { ok: false; error: string };

/** Asks the gateway once whether it is alive. Never rejects: no answer is a result too. */
async function probe(healthUrl: string, fetch: typeof globalThis.fetch): Promise<Probed> {
  try {
    const response = await fetch(healthUrl, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
    if (!response.ok) {
      await response.body?.cancel();
      return { ok: false, error: `answered ${response.status}` };
    }
    return { ok: true, pending: pendingOf(await response.text()) };
  } catch (error) {
    return { ok: false, error: sentence(error as Error) };
  }
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

function sentence({ name, cause }: Error): string {
  if (name === "TimeoutError") return `no answer within ${CHECK_TIMEOUT_MS / 1_000} s`;
  return (cause as { code?: string } | undefined)?.code === "ECONNREFUSED" ? "connection refused" : "connection lost";
}

/** Appends an item and drops the oldest one beyond the limit. */
export function keepLast<T>(items: T[], item: T, max: number): void {
  items.push(item);
  if (items.length > max) items.shift();
}
