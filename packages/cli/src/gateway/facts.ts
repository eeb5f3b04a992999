import { FAILURES_BEFORE_RESTART, type WatchdogSnapshot } from "@backplane/contract/gateway";
import type { Tone } from "../terminal.ts";
import { SHAPES } from "../terminal.ts";

/** Shows the state of the gateway, updated every second, until it is closed. */
export type View = {
  seen(snapshot: WatchdogSnapshot): void;
  gone(since: Date): void;
  close(): void;
};

/** A part of a line, and its colour. */
export type Span = { text: string; tone?: Tone };

/** The state with its shape, and the sentence about it. */
export const headOf = ({ summary: { tone, title, detail } }: WatchdogSnapshot): Span[][] => [
  [
    { text: SHAPES[tone], tone },
    { text: ` ${title}`, tone: "strong" },
  ],
  [{ text: `  ${detail}` }],
];

export const clock = (at: Date): string => at.toTimeString().slice(0, 8);

/** What was measured, one fact per row. */
export function factsOf({ lastCheck, consecutiveFailures, restarts, autoRestart }: WatchdogSnapshot): string[][] {
  return [
    ["Last check", lastCheck ? `${clock(new Date(lastCheck.at))}, ${answerOf(lastCheck)}` : "none yet"],
    ["Failures", `${consecutiveFailures} of ${FAILURES_BEFORE_RESTART} in a row`],
    ["Restarts", String(restarts)],
    ["Auto-restart", autoRestart ? "on" : "off"],
  ];
}

function answerOf({ ok, latencyMs, error }: NonNullable<WatchdogSnapshot["lastCheck"]>): string {
  return ok ? `answered in ${Math.round(latencyMs)} ms` : (error ?? "failed");
}

/** What to do next, if anything. */
export function nextStepOf({ gateway: { state }, consecutiveFailures }: WatchdogSnapshot): string | undefined {
  switch (state) {
    case "running":
      return consecutiveFailures > 0 ? "Restart it now with: backplane gateway restart" : undefined;
    case "starting":
      return "See it come up with: backplane gateway watch";
    case "stopped":
    case "failed":
      return "Start it with: backplane gateway start";
  }
}
