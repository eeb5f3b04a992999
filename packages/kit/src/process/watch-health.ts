import { CHECK_TIMEOUT_MS, FAILURES_BEFORE_RESTART } from "@backplane/contract/gateway";
import type { Clock } from "../clock.ts";
import type { Supervised } from "./supervise.ts";

type Answer = { ok: true; body: string } | { ok: false; error: string };

export type HealthCheck = Answer & { atMs: number; latencyMs: number };

export type HealthWatchOptions = {
  child: Pick<Supervised, "replace" | "state">;
  healthUrl: string;
  fetch: typeof globalThis.fetch;
  now: Clock;
  /** Asked before a child that hangs is replaced; absent: it always is. */
  mayReplace?: () => boolean;
  /** `consecutiveFailures` includes this check. */
  onCheck: (check: HealthCheck, consecutiveFailures: number) => void;
  /** The child was not running when a check was due. */
  onSkipped?: (atMs: number) => void;
  onReplace?: (reason: string) => void;
};

export type HealthWatch = {
  /** Checks once. Replaces the child after the third failure in a row. */
  check(): Promise<void>;
  /** The child started, stopped or was replaced: the count of failures starts again at zero. */
  reset(): void;
  consecutiveFailures(): number;
};

/** Replaces a child that hangs. One that exited is restarted by its supervisor, without waiting for a check. */
export function watchHealth(options: HealthWatchOptions): HealthWatch {
  const { child, healthUrl, fetch, now, mayReplace = () => true, onCheck, onSkipped, onReplace } = options;
  let consecutiveFailures = 0;
  let isChecking = false;

  async function check(): Promise<void> {
    const atMs = now();
    const { state, pid } = child.state();
    // While it is down or starting there is nothing to ask; the supervisor takes care of it.
    if (state !== "running") return onSkipped?.(atMs);
    const answer = await ask(healthUrl, fetch);
    // Stopped or replaced in the meantime: the answer is about a process that is gone.
    const after = child.state();
    if (after.pid !== pid || after.state !== "running") return;
    consecutiveFailures = answer.ok ? 0 : consecutiveFailures + 1;
    onCheck({ ...answer, atMs, latencyMs: now() - atMs }, consecutiveFailures);
    if (consecutiveFailures < FAILURES_BEFORE_RESTART || !mayReplace()) return;
    consecutiveFailures = 0;
    const reason = `failed ${FAILURES_BEFORE_RESTART} checks in a row`;
    onReplace?.(reason);
    await child.replace(reason);
  }

  return {
    /** One at a time: a check that also replaces takes longer than the interval, and the next would ask the old process. */
    async check() {
      if (isChecking) return;
      isChecking = true;
      await check().finally(() => {
        isChecking = false;
      });
    },
    reset() {
      consecutiveFailures = 0;
    },
    consecutiveFailures: () => consecutiveFailures,
  };
}

/** Asks a process once whether it is alive. Never rejects: no answer is a result too. */
async function ask(healthUrl: string, fetch: typeof globalThis.fetch): Promise<Answer> {
  try {
    const response = await fetch(healthUrl, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
    const body = await response.text();
    return response.ok ? { ok: true, body } : { ok: false, error: `answered ${response.status}` };
  } catch (error) {
    return { ok: false, error: sentence(error as Error) };
  }
}

function sentence({ name, cause }: Error): string {
  if (name === "TimeoutError") return `no answer within ${CHECK_TIMEOUT_MS / 1_000} s`;
  return (cause as { code?: string } | undefined)?.code === "ECONNREFUSED" ? "connection refused" : "connection lost";
}
