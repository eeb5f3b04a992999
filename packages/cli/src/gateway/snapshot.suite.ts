import type { WatchdogSnapshot } from "@backplane/contract/gateway";

/** The watchdog's answer for a gateway that is running. */
export const RUNNING: WatchdogSnapshot = {
  autoRestart: true,
  gateway: { state: "running", pid: 48213, uptime: 371 },
  lastCheck: { at: "2026-08-08T12:00:00.000Z", ok: true, latencyMs: 3 },
  consecutiveFailures: 0,
  restarts: 1,
  summary: { tone: "ok", title: "Gateway is running", detail: "Process 48213, up 6 min, 2 applications waiting" },
  pending: 2,
  fault: null,
  nextAttempt: null,
  checks: (["slow", "failed", "none", "ok"] as const).map((outcome) => ({ at: "2026-08-08T12:00:00.000Z", outcome })),
  events: [
    { at: "2026-08-08T11:35:21.000Z", says: "Gateway responds again, 30 s after the first failure" },
    { at: "2026-08-08T11:35:19.000Z", says: "Gateway restarted, process 48213" },
  ],
};

export const STOPPED: WatchdogSnapshot = {
  ...RUNNING,
  gateway: { state: "stopped", pid: null, uptime: null },
  summary: { tone: "off", title: "Gateway is stopped", detail: "It stays stopped until you start it." },
};
