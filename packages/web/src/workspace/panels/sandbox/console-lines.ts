import type { EvalLog, EvalResult } from "@backplane/contract/panels";
import { clockWithSeconds } from "../../../parts/times.ts";
import { durationWords } from "../output-lines.ts";
import type { Outcome } from "./frame-calls.ts";

export type NewLine = {
  readonly kind: "input" | "result" | "error" | "log";
  readonly level?: EvalLog["level"];
  readonly text: string;
  /** At the end of the line: the time, or how long it took. */
  readonly at: string;
};
export type ConsoleLine = NewLine & { readonly key: number };

export const CONSOLE_LIMITS = { maxLines: 200, maxLength: 5_000 } as const;
/** The last ones are drawn while the output does not pause: the layout of all would slow down the code. */
export const LINES_MEANWHILE = 20;

const now = () => clockWithSeconds(new Date());
const took = (durationMs: number | undefined) => (durationMs === undefined ? "" : durationWords(durationMs));

export const inputLine = (text: string): NewLine => ({ kind: "input", text, at: now() });
export const errorLine = (text: string): NewLine => ({ kind: "error", text, at: now() });
export const logLine = ({ level, text }: EvalLog): NewLine => ({ kind: "log", level, text, at: now() });

export const outcomeLine = (outcome: Outcome): NewLine =>
  outcome.status === "error"
    ? errorLine(outcome.error)
    : { kind: "result", text: outcome.text, at: took(outcome.durationMs) };

/** The answer to code that ran in another window, or has not run yet. */
export function answerLines(result: EvalResult): NewLine[] {
  if (result.status === "queued")
    return [logLine({ level: "info", text: "The code runs as soon as a window shows this sandbox." })];
  const logs = (result.logs ?? []).map(logLine);
  if (result.status === "error") return [...logs, errorLine(result.error)];
  const text = result.result === undefined ? "undefined" : JSON.stringify(result.result);
  return [...logs, { kind: "result", text, at: took(result.durationMs) }];
}

/** The code as it was sent. Rewritten code carries the original in its first line. */
export function shownCode(code: string, isPrepared: boolean): string {
  if (!isPrepared) return code;
  const end = code.indexOf("\n");
  const { shown } = JSON.parse(code.slice(0, end)) as { shown?: string };
  return shown ?? code.slice(end + 1);
}

/** Programs send hundreds of evals. Their lines are drawn when the output pauses, or after this time at the latest. */
const DRAW_AFTER_MS = 50;
const DRAW_WITHIN_MS = 500;

/** Collects lines and hands them on in batches, so that drawing does not slow the code down. */
export function createLineBuffer(draw: (lines: readonly NewLine[], hasPaused: boolean) => void) {
  let waiting: NewLine[] = [];
  let hasPaused = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let firstAtMs = 0;
  let lastAtMs = 0;

  function hand(isPause: boolean): void {
    const lines = waiting;
    waiting = [];
    if (lines.length === 0 && hasPaused) return;
    hasPaused = isPause;
    draw(lines, isPause);
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    hand(true);
  }

  /** One timer for the whole batch: each line only notes its time. */
  function flushWhenQuiet(): void {
    const nowMs = performance.now();
    if (nowMs - lastAtMs >= DRAW_AFTER_MS) {
      flush();
      return;
    }
    if (nowMs - firstAtMs >= DRAW_WITHIN_MS) {
      firstAtMs = nowMs;
      hand(false);
    }
    timer = setTimeout(flushWhenQuiet, DRAW_AFTER_MS);
  }

  return {
    add(...lines: NewLine[]): void {
      waiting.push(...lines);
      if (waiting.length > 2 * CONSOLE_LIMITS.maxLines) waiting = waiting.slice(-CONSOLE_LIMITS.maxLines);
      lastAtMs = performance.now();
      if (timer !== undefined) return;
      firstAtMs = lastAtMs;
      timer = setTimeout(flushWhenQuiet, DRAW_AFTER_MS);
    },
    flush,
    dispose: () => clearTimeout(timer),
  };
}

/** What was typed before. `at` counts back from the newest entry; -1 is what is being typed now. */
export type CodeHistory = { readonly entries: readonly string[]; readonly at: number; readonly draft: string };

export const MAX_ENTRIES = 100;
export const NO_HISTORY: CodeHistory = { entries: [], at: -1, draft: "" };

export function remember({ entries }: CodeHistory, code: string): CodeHistory {
  const rest = entries[0] === code ? entries.slice(1) : entries;
  return { entries: [code, ...rest].slice(0, MAX_ENTRIES), at: -1, draft: "" };
}

/** The older or newer entry; undefined at the end of the history. */
export function recall(
  history: CodeHistory,
  way: "older" | "newer",
  typed: string,
): { history: CodeHistory; text: string } | undefined {
  const at = history.at + (way === "older" ? 1 : -1);
  const draft = history.at === -1 ? typed : history.draft;
  const text = at === -1 ? draft : history.entries[at];
  if (at < -1 || text === undefined) return undefined;
  return { history: { ...history, at, draft }, text };
}
