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
