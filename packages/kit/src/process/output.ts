import { fstatSync } from "node:fs";
import { styleText } from "node:util";

type Host = Pick<NodeJS.Process, "env"> & { stdout: Pick<NodeJS.WriteStream, "isTTY" | "write"> };

/** Where lines of the log go. Each ends with a line break. */
type Output = { write(line: string): void };

const STANDARD_OUTPUT = 1;

/**
 * Standard output for lines of the log: a terminal gets text, journald gets the level of each line, so that
 * `journalctl -p warning` works, and everything else gets the JSON as it is.
 */
export function openOutput({ stdout, env }: Host): Output {
  if (stdout.isTTY) return { write: (line) => void stdout.write(forPeople(line)) };
  if (isJournal(env.JOURNAL_STREAM)) return { write: (line) => void stdout.write(forJournal(line)) };
  return { write: (line) => void stdout.write(line) };
}

/** systemd names the device and inode of the journal's socket. A child whose output goes elsewhere inherits the variable. */
function isJournal(stream: string | undefined): boolean {
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(STANDARD_OUTPUT);
  return stream === `${dev}:${ino}`;
}

/** Numbers of syslog. journald removes them. */
const PRIORITIES: Readonly<Record<string, number>> = { fatal: 2, error: 3, warn: 4, info: 6, debug: 7, trace: 7 };

export function forJournal(line: string): string {
  const priority = PRIORITIES[read(line)?.level ?? ""];
  return priority === undefined ? line : `<${priority}>${line}`;
}

const COLOURS: Readonly<Record<string, "red" | "yellow" | "dim">> = { fatal: "red", error: "red", warn: "yellow" };

/** Time, level, process, message, and what else the line has. */
export function forPeople(line: string): string {
  const record = read(line);
  if (record === undefined) return line;
  const { time = "", level = "", process = "", msg = "", err, ...facts } = record;
  const reason = err?.message ? `: ${err.message}` : "";
  const rest = Object.entries(facts).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const text = [time.slice(11, 19), level.padEnd(5), process, `${msg}${reason}`, ...rest].join(" ");
  return `${styleText(COLOURS[level] ?? "reset", text, { stream: globalThis.process.stdout })}\n`;
}

type LogRecord = { time?: string; level?: string; process?: string; msg?: string; err?: { message?: string } };

/** Undefined: not a line of the log, such as one that Node prints when a program crashes. */
function read(line: string): LogRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
