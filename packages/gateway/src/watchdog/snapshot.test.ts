import assert from "node:assert/strict";
import { test } from "node:test";
import type { WatchdogSnapshot } from "@backplane/contract/gateway";
import { summarise } from "./snapshot.ts";

const RUNNING: Omit<WatchdogSnapshot, "summary"> = {
  autoRestart: true,
  gateway: { state: "running", pid: 48213, uptime: 371 },
  lastCheck: { at: "1970-01-01T00:00:00.000Z", ok: true, latencyMs: 3 },
  consecutiveFailures: 0,
  restarts: 1,
  pending: 2,
  fault: null,
  nextAttempt: null,
  checks: [],
  events: [],
};
const down = (state: "starting" | "stopped" | "failed") => ({ gateway: { state, pid: null, uptime: null } });
const failed = (error: string) => ({ lastCheck: { at: "1970-01-01T00:00:00.000Z", ok: false, latencyMs: 0, error } });

for (const [known, says] of [
  [{}, "ok Gateway is running: Process 48213, up 6 min, 2 applications waiting"],
  [{ pending: 1 }, "ok Gateway is running: Process 48213, up 6 min, 1 application waiting"],
  [{ pending: 0 }, "ok Gateway is running: Process 48213, up 6 min, no application waiting"],
  [{ pending: null }, "ok Gateway is running: Process 48213, up 6 min"],
  [
    { consecutiveFailures: 1, ...failed("no answer within 2 s") },
    "danger Gateway is not responding: One check failed. Two more and it will be restarted.",
  ],
  [
    { consecutiveFailures: 2, ...failed("answered 503") },
    "danger Gateway is failing its checks: Two checks failed in a row. One more and it will be restarted.",
  ],
  [
    { consecutiveFailures: 4, autoRestart: false, ...failed("connection refused") },
    "danger Gateway is not responding: Four checks failed in a row. Automatic restart is off: restart it yourself.",
  ],
  [
    { consecutiveFailures: 12, ...failed("connection refused") },
    "danger Gateway is not responding: 12 checks failed in a row. It will be restarted at the next one.",
  ],
  [down("starting"), "warn Gateway is starting: It has 30 s to start."],
  [
    {
      ...down("starting"),
      fault: "Gateway exited with code 3",
      nextAttempt: { at: "1970-01-01T00:00:03.200Z" },
    },
    "warn Gateway is starting: Gateway exited with code 3. Next attempt in 4 s.",
  ],
  [down("stopped"), "off Gateway is stopped: It stays stopped until you start it."],
  [
    { ...down("failed"), fault: "The way is blocked. Clear it." },
    "danger Gateway has failed: The way is blocked. Clear it. Fix the cause, then start it.",
  ],
] as const) {
  test(`summary: ${says}`, () => {
    const { tone, title, detail } = summarise({ ...RUNNING, ...known }, 0);
    assert.equal(`${tone} ${title}: ${detail}`, says);
  });
}
