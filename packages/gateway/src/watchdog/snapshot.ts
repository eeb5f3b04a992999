import type { WatchdogSnapshot } from "@backplane/contract/gateway";
import type { Journal } from "./journal.ts";
import { summarise } from "./summary.ts";
import type { Watch } from "./watch.ts";

/** Everything that is shown about the gateway, at one moment. */
export function takeSnapshot(watch: Watch, journal: Journal, nowMs: number): WatchdogSnapshot {
  const status = watch.status();
  const isWaiting = status.gateway.state === "starting" && status.gateway.pid === null;
  const known = {
    ...status,
    pending: watch.pending(),
    fault: journal.fault(),
    nextAttempt: isWaiting ? journal.nextAttempt() : null,
    checks: watch.checks().map(({ atMs, outcome }) => ({ at: new Date(atMs).toISOString(), outcome })),
    events: journal.events(),
  };
  return { ...known, summary: summarise(known, nowMs) };
}
