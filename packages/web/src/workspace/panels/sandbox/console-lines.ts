import type { EvalLog } from "@backplane/contract/panels";

export type ConsoleLine = {
  readonly key: number;
  readonly kind: "input" | "result" | "error" | "log";
  readonly level?: EvalLog["level"];
  readonly text: string;
  /** At the end of the line: when it was, or how long it took. */
  readonly at: string;
};

export type NewLine = Omit<ConsoleLine, "key">;

export const MAX_LINES = 200;
const MAX_TEXT_LENGTH = 5_000;

/** Adds lines; the oldest go. */
export function addLines(lines: readonly ConsoleLine[], more: readonly NewLine[]): readonly ConsoleLine[] {
  const first = (lines.at(-1)?.key ?? 0) + 1;
  const added = more.map((line, n) => ({ ...line, key: first + n, text: clip(line.text) }));
  return [...lines, ...added].slice(-MAX_LINES);
}

const clip = (text: string): string => (text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text);

/** 1.9 ms, 240 ms, 3.2 s */
export function tookText(durationMs: number | undefined): string {
  if (durationMs === undefined) return "";
  if (durationMs >= 1_000) return `${(durationMs / 1_000).toFixed(1)} s`;
  return durationMs >= 10 ? `${Math.round(durationMs)} ms` : `${durationMs.toFixed(1)} ms`;
}

/** The code as it was sent: rewritten code carries it on its first line. */
export function shownCode(code: string, isPrepared: boolean): string {
  if (!isPrepared) return code;
  const cut = code.indexOf("\n");
  const { shown } = JSON.parse(code.slice(0, cut)) as { shown?: string };
  return shown ?? code.slice(cut + 1);
}

/** What was typed before, and how far back one looks: `at` is counted from the newest, -1 being what is typed now. */
type CodeHistory = { readonly entries: readonly string[]; readonly at: number; readonly draft: string };

export const MAX_ENTRIES = 100;
export const NO_HISTORY: CodeHistory = { entries: [], at: -1, draft: "" };

export function remember({ entries }: CodeHistory, code: string): CodeHistory {
  const rest = entries[0] === code ? entries.slice(1) : entries;
  return { entries: [code, ...rest].slice(0, MAX_ENTRIES), at: -1, draft: "" };
}

/** Undefined: there is nothing further that way. */
export function look(
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
