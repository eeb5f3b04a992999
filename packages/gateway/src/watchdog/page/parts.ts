import {
  CHECK_INTERVAL_MS,
  FAILURES_BEFORE_RESTART,
  MAX_CHECKS,
  type WatchdogSnapshot,
} from "@backplane/contract/gateway";
import { type Html, html } from "@backplane/kit/page";
import { durationInWords, timeInWords } from "../words.ts";

/** How long the shown checks reach back. */
export const HISTORY = `${(MAX_CHECKS * CHECK_INTERVAL_MS) / 60_000} minutes`;

// The watchdog keeps more of both.
const SHOWN_EVENTS = 20;
const SHOWN_LINES = 100;

/** The parts of the page that change, by name. The page contains them, and its script replaces them with newer ones. */
export function renderParts(snapshot: WatchdogSnapshot, nowMs: number) {
  return {
    now: now(snapshot),
    actions: actions(snapshot),
    figures: figures(snapshot, nowMs),
    history: history(snapshot),
    auto: autoRestart(snapshot),
    events: events(snapshot, nowMs),
  };
}
export type PartName = keyof ReturnType<typeof renderParts>;

function now({ summary: { tone, title, detail } }: WatchdogSnapshot): Html {
  return html`<h1 class="${tone}">${title}</h1><p>${detail}</p>`;
}

/** Each button is a form, so that it works without JavaScript. */
function command(path: string, label: string, look: string): Html {
  return html`<form method="post" action="${path}"><button class="btn ${look}" data-key="${path}">${label}</button></form>`;
}

function actions({ gateway: { state }, consecutiveFailures }: WatchdogSnapshot): readonly Html[] {
  const stop = command("/stop", "Stop", "danger");
  switch (state) {
    case "running":
      return [command("/restart", consecutiveFailures > 0 ? "Restart now" : "Restart", ""), stop];
    case "starting":
      return [stop];
    case "stopped":
    case "failed":
      return [command("/start", "Start", "primary")];
  }
}

function figures({ lastCheck, consecutiveFailures, restarts }: WatchdogSnapshot, nowMs: number): Html {
  const pins = Array.from({ length: FAILURES_BEFORE_RESTART }, (_, index) =>
    index < consecutiveFailures ? html`<i class="bad"></i>` : html`<i></i>`,
  );
  const failures =
    consecutiveFailures > FAILURES_BEFORE_RESTART
      ? String(consecutiveFailures)
      : `${consecutiveFailures} of ${FAILURES_BEFORE_RESTART}`;
  return html`<div><dt>Last check</dt><dd>${lastCheck ? `${durationInWords(nowMs - Date.parse(lastCheck.at))} ago` : "none yet"}</dd></div>
<div><dt>Answer</dt><dd${lastCheck?.ok === false ? html` class="bad"` : ""}>${answerOf(lastCheck)}</dd></div>
<div><dt>Failures in a row</dt><dd>${failures}<span class="pins" aria-hidden="true">${pins}</span></dd></div>
<div><dt>Restarts</dt><dd>${restarts}</dd></div>`;
}

function answerOf(lastCheck: WatchdogSnapshot["lastCheck"]): string {
  if (lastCheck === null) return "none yet";
  if (lastCheck.ok) return lastCheck.latencyMs < 1 ? "under 1 ms" : `${Math.round(lastCheck.latencyMs)} ms`;
  const { error = "failed" } = lastCheck;
  return error.startsWith("no answer") ? "timed out" : error.replace(/^connection /, "").replace("answered", "status");
}

const PINS = {
  ok: html`<i class="ok"></i>`,
  slow: html`<i class="slow"></i>`,
  failed: html`<i class="bad"></i>`,
  none: html`<i></i>`,
};

/** Newest at the right, padded with empty pins at the left. */
function history({ checks }: WatchdogSnapshot): Html {
  const missing = Array.from({ length: MAX_CHECKS - checks.length }, () => PINS.none);
  const pins = [...missing, ...checks.map(({ outcome }) => PINS[outcome])];
  return html`<div class="pins wide history" role="img" aria-label="${checksInWords(checks)}">${pins}</div>`;
}

function checksInWords(checks: WatchdogSnapshot["checks"]): string {
  const count = (wanted: string) => checks.filter(({ outcome }) => outcome === wanted).length;
  const [ok, slow, failed] = [count("ok"), count("slow"), count("failed")];
  const made = ok + slow + failed;
  return made === 0
    ? `No checks in the last ${HISTORY}`
    : `${made} ${made === 1 ? "check" : "checks"}: ${ok} answered, ${failed} failed, ${slow} slow`;
}

function autoRestart({ autoRestart }: WatchdogSnapshot): Html {
  const effect = autoRestart
    ? `After ${FAILURES_BEFORE_RESTART} failed checks in a row, and when the gateway exits.`
    : "A gateway that fails stays down until you start it.";
  return html`<div><h2 class="label" id="auto">Restart automatically</h2><p class="dense muted" id="auto-effect">${effect}</p></div>
<form method="post" action="/watchdog"><input type="hidden" name="enabled" value="${autoRestart ? "false" : "true"}"><button class="switch" role="switch" aria-checked="${autoRestart ? "true" : "false"}" aria-labelledby="auto" aria-describedby="auto-effect" data-key="auto">${autoRestart ? "On" : "Off"}<i></i></button></form>`;
}

function events({ events }: WatchdogSnapshot, nowMs: number): readonly Html[] {
  return events.slice(0, SHOWN_EVENTS).map(({ at, says }) => {
    const time = html`<time datetime="${at}">${timeInWords(new Date(at), new Date(nowMs))}</time>`;
    return html`<li>${time}<span>${says}</span></li>`;
  });
}

/** The last lines that the gateway printed, newest last, formatted for people. */
export function renderOutput(lines: readonly string[], nowMs: number): string {
  if (lines.length === 0) return "No output yet.";
  return lines
    .slice(-SHOWN_LINES)
    .map((line) => readable(line, new Date(nowMs)))
    .join("\n");
}

type LogLine = { level: string; time: string; msg: string; err?: { message?: string } };

/** Our log lines are JSON; any other line is shown unchanged. */
function readable(line: string, now: Date): string {
  try {
    const { level, time, msg, err } = JSON.parse(line) as LogLine;
    if (typeof level !== "string" || typeof msg !== "string" || Number.isNaN(Date.parse(time))) return line;
    const cause = typeof err?.message === "string" ? `: ${err.message}` : "";
    return `${timeInWords(new Date(time), now)}  ${level}  ${msg}${cause}`;
  } catch {
    return line;
  }
}
