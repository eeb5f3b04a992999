import { FAILURES_BEFORE_RESTART, type WatchdogSnapshot } from "@backplane/contract/gateway";
import { SUPERVISE_LIMITS } from "@backplane/kit/supervise";
import type { Journal } from "./journal.ts";
import type { Watch } from "./watch.ts";
import { countInWords, durationInWords } from "./words.ts";

/** Everything that is shown about the gateway at one moment. */
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

type Known = Omit<WatchdogSnapshot, "summary">;
type Summary = WatchdogSnapshot["summary"];

/** The state of the gateway in a title and a sentence, the same on the page and in the terminal. */
export function summarise(known: Known, nowMs: number): Summary {
  switch (known.gateway.state) {
    case "running":
      return known.consecutiveFailures === 0 ? running(known) : failing(known);
    case "starting":
      return { tone: "warn", title: "Gateway is starting", detail: starting(known, nowMs) };
    case "stopped":
      return { tone: "off", title: "Gateway is stopped", detail: "It stays stopped until you start it." };
    case "failed":
      return {
        tone: "danger",
        title: "Gateway has failed",
        detail: `${sentence(known.fault ?? "It did not start")} Fix the cause, then start it.`,
      };
  }
}

function running({ gateway, pending }: Known): Summary {
  const facts = [
    `Process ${gateway.pid}`,
    `up ${durationInWords((gateway.uptime ?? 0) * 1_000)}`,
    ...(pending === null ? [] : [waiting(pending)]),
  ];
  return { tone: "ok", title: "Gateway is running", detail: facts.join(", ") };
}

function waiting(pending: number): string {
  if (pending === 0) return "no application waiting";
  return pending === 1 ? "1 application waiting" : `${pending} applications waiting`;
}

function failing({ consecutiveFailures, autoRestart, lastCheck }: Known): Summary {
  const left = FAILURES_BEFORE_RESTART - consecutiveFailures;
  const failed =
    consecutiveFailures === 1 ? "One check failed." : `${countInWords(consecutiveFailures)} checks failed in a row.`;
  const next = autoRestart
    ? left > 0
      ? `${countInWords(left)} more and it will be restarted.`
      : "It will be restarted at the next one."
    : "Automatic restart is off: restart it yourself.";
  const answers = lastCheck?.error?.startsWith("answered") === true;
  return {
    tone: "danger",
    title: answers ? "Gateway is failing its checks" : "Gateway is not responding",
    detail: `${failed} ${next}`,
  };
}

function starting({ fault, nextAttempt }: Known, nowMs: number): string {
  const why = fault === null ? "" : `${sentence(fault)} `;
  if (nextAttempt === null) return `${why}It has ${SUPERVISE_LIMITS.startDeadlineMs / 1_000} s to start.`;
  const inS = Math.max(0, Math.ceil((Date.parse(nextAttempt.at) - nowMs) / 1_000));
  return `${why}Next attempt in ${inS} s.`;
}

const sentence = (text: string): string => (text.endsWith(".") ? text : `${text}.`);
