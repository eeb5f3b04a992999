import type { Clock } from "@backplane/kit/clock";
import type { Supervised } from "@backplane/kit/process";
import { FAILURES_BEFORE_RESTART, PROBE_TIMEOUT_MS, type WatchdogStatus } from "./contract.ts";

export type WatchOptions = {
  gateway: Pick<Supervised, "restart" | "state">;
  healthUrl: string;
  fetch: typeof globalThis.fetch;
  now: Clock;
  onFailure: (error: string, consecutive: number) => void;
  onRestart: (reason: string) => void;
};

export type Watch = {
  /** One check; restarts the gateway when it was the third failure in a row. */
  check(): Promise<void>;
  status(): WatchdogStatus;
};

/** Restarts a gateway that is alive but hung. One that ended is restarted by its supervisor, without waiting for a check. */
export function watchGateway({ gateway, healthUrl, fetch, now, onFailure, onRestart }: WatchOptions): Watch {
  let lastCheck: WatchdogStatus["lastCheck"] = null;
  let consecutiveFailures = 0;

  async function probe(): Promise<string | undefined> {
    try {
      const response = await fetch(healthUrl, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      await response.body?.cancel();
      return response.ok ? undefined : `answered ${response.status}`;
    } catch (error) {
      return (error as Error).name === "TimeoutError"
        ? `no answer within ${PROBE_TIMEOUT_MS / 1_000} s`
        : "connection refused";
    }
  }

  return {
    async check() {
      // While it is down or coming up there is nothing to ask; the supervisor is at it.
      if (gateway.state().state !== "running") return;
      const startedAtMs = now();
      const error = await probe();
      lastCheck = {
        at: new Date(startedAtMs).toISOString(),
        ok: error === undefined,
        latencyMs: now() - startedAtMs,
        ...(error === undefined ? {} : { error }),
      };
      consecutiveFailures = error === undefined ? 0 : consecutiveFailures + 1;
      if (error !== undefined) onFailure(error, consecutiveFailures);
      if (consecutiveFailures < FAILURES_BEFORE_RESTART) return;
      consecutiveFailures = 0;
      onRestart(`${FAILURES_BEFORE_RESTART} failed checks in a row, the last one: ${error}`);
      // One that does not come up is the supervisor's to try again, and to tell.
      await gateway.restart().catch(() => {});
    },
    status() {
      const { state, pid, startedAtMs, restarts } = gateway.state();
      return {
        autoRestart: true,
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
