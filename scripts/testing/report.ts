import { styleText } from "node:util";
import { progressEveryMs, shownLines } from "./limits.ts";
import type { Failure } from "./tally.ts";

export type Outcome = "ok" | "failed" | "skipped";
export type FileCost = { file: string; ms: number; cpuS: number | undefined };
export type Report = ReturnType<typeof createReport>;

const colours = { ok: "green", failed: "red", skipped: "yellow" } as const;

/** One tidy line a step; on a terminal a line that counts while a slow step is under way, else one every ten seconds. */
export function createReport(out: NodeJS.WriteStream) {
  let progressShown = false;
  let lastProgressMs = performance.now();

  const clearProgress = () => {
    if (progressShown) out.write("\r\u001b[K");
    progressShown = false;
  };

  return {
    step(outcome: Outcome, name: string, note: string, durationMs: number): void {
      clearProgress();
      const word = styleText(colours[outcome], outcome.padEnd(7), { stream: out });
      out.write(`${word} ${name.padEnd(14)} ${note.padEnd(28)} ${formatDuration(durationMs).padStart(11)}\n`);
      lastProgressMs = performance.now();
    },
    files(files: readonly FileCost[]): void {
      for (const { file, ms, cpuS } of files) {
        out.write(`        ${file.padEnd(43)} ${formatDuration(ms).padStart(11)}${formatCpu(cpuS)}\n`);
      }
    },
    progress(text: string): void {
      if (text === "") return;
      if (out.isTTY) {
        clearProgress();
        out.write(`        ${text}`.slice(0, (out.columns || 80) - 1));
        progressShown = true;
      } else if (performance.now() - lastProgressMs > progressEveryMs) {
        lastProgressMs = performance.now();
        out.write(`        ${text}\n`);
      }
    },
    output(text: string): void {
      clearProgress();
      if (text.trim() !== "") out.write(`${indent(lastLines(text))}\n`);
    },
    failures(failures: readonly Failure[]): void {
      clearProgress();
      if (failures.length === 0) return;
      out.write(`\n${styleText("red", "Failed", { stream: out })}\n`);
      for (const { name, where, details } of failures) {
        out.write(`\n${styleText("bold", name, { stream: out })}\n  ${where}\n`);
        if (details !== "") out.write(`${indent(lastLines(details))}\n`);
      }
    },
    closing(line: string): void {
      clearProgress();
      out.write(`\n${line}\n`);
    },
  };
}

function formatDuration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Processor time: what a step costs on a machine that is busy with other work too. */
function formatCpu(cpuS: number | undefined): string {
  return cpuS === undefined ? "" : `  CPU ${cpuS.toFixed(1).padStart(6)} s`;
}

function lastLines(text: string): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length <= shownLines) return lines.join("\n");
  return [`… ${lines.length - shownLines} lines before`, ...lines.slice(-shownLines)].join("\n");
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}
