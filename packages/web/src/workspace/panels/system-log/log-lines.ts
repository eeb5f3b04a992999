import { type JsonObject, LOG_LEVELS, type LogEntry, type LogLevel, PANELS_LIMITS } from "@backplane/contract/panels";

/** Which lines the panel shows. */
export type LogFilter = { search: string; level: LogLevel; source: string | undefined };

const isLevel = (value: unknown): value is LogLevel => LOG_LEVELS.some((level) => level === value);

/** The filter in a tab's state. Without one: "info" and above from all sources. */
export function filterOf({ search, level, source }: JsonObject): LogFilter {
  return {
    search: typeof search === "string" ? search : "",
    level: isLevel(level) ? level : "info",
    source: typeof source === "string" && source !== "" ? source : undefined,
  };
}

/** Merges lines by id, in order, and keeps the newest. New lines may overlap with those that are already there. */
export function addLines(lines: readonly LogEntry[], entries: readonly LogEntry[]): readonly LogEntry[] {
  const last = lines.at(-1)?.id ?? Number.NEGATIVE_INFINITY;
  const isInOrder = entries.every(({ id }, at) => id > (entries[at - 1]?.id ?? last));
  if (isInOrder) return entries.length === 0 ? lines : [...lines, ...entries].slice(-PANELS_LIMITS.maxLogEntries);
  const byId = new Map([...lines, ...entries].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((one, other) => one.id - other.id).slice(-PANELS_LIMITS.maxLogEntries);
}

/** A line matches when its source and message contain every word of the search, in any order. */
export function filterLines(lines: readonly LogEntry[], { search, level, source }: LogFilter): readonly LogEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const least = LOG_LEVELS.indexOf(level);
  return lines.filter((line) => {
    if (LOG_LEVELS.indexOf(line.level) < least || (source !== undefined && line.source !== source)) return false;
    if (words.length === 0) return true;
    const text = `${line.source} ${line.message}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The sources to choose from. The selected one stays in the list even when its last line is gone. */
export function sourcesOf(lines: readonly LogEntry[], selected: string | undefined): string[] {
  const names = new Set(lines.map(({ source }) => source));
  if (selected !== undefined) names.add(selected);
  return [...names].sort();
}

const two = (part: number) => String(part).padStart(2, "0");

/** Local time, such as 14:30:58.104. */
export function timeOf({ at }: LogEntry): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const seconds = `${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}

/** The text that is copied: with the full timestamp, so that it makes sense on its own. */
export const textOf = ({ at, level, source, message }: LogEntry): string => `${at} ${level} ${source} ${message}`;

/** What a screen reader says about new lines: only warnings and errors are worth an interruption. */
export function announcementOf(entries: readonly LogEntry[]): string | undefined {
  const errors = entries.filter(({ level }) => level === "error");
  const warnings = entries.filter(({ level }) => level === "warn");
  const last = errors.at(-1) ?? warnings.at(-1);
  if (!last) return undefined;
  const counts = [counted(errors.length, "error"), counted(warnings.length, "warning")].filter(Boolean).join(", ");
  return `${counts}. ${last.source}: ${last.message}`;
}

const counted = (count: number, word: string): string =>
  count === 0 ? "" : `${count} ${count === 1 ? word : `${word}s`}`;

/** A command that works when it is pasted. The key comes from the environment, never from the page. */
export function writeCommand(origin: string, path: string): string {
  const body = JSON.stringify({ source: "bench", level: "info", message: "Hello from the bench" });
  return [
    `curl -sS "${origin}${path}"`,
    `-H "X-Api-Key: $BACKPLANE_API_KEY"`,
    `-H "Content-Type: application/json"`,
    `-d '${body}'`,
  ].join(" ");
}

/** The row that a key moves to; undefined when the key does not move. */
export function rowForKey(key: string, from: number, count: number, rowsPerPage: number): number | undefined {
  if (count === 0) return undefined;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const page = Math.max(1, rowsPerPage);
  const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page }[key];
  return step === undefined ? undefined : Math.min(count - 1, Math.max(0, from + step));
}
