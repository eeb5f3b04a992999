import { timeInWords } from "../words.ts";

/** The watchdog keeps more. */
const SHOWN_LINES = 100;

/** What the gateway printed last, newest at the end, as a person reads it. */
export function renderOutput(lines: readonly string[], nowMs: number): string {
  if (lines.length === 0) return "It has printed nothing yet.";
  return lines
    .slice(-SHOWN_LINES)
    .map((line) => readable(line, new Date(nowMs)))
    .join("\n");
}

type LogLine = { level: string; time: string; msg: string; err?: { message?: string } };

/** Log lines are JSON for programs; what is not one of ours is shown as it is. */
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
