import { type JsonObject, LOG_LEVELS, type LogEntry, type LogLevel, PANELS_LIMITS } from "@backplane/contract/panels";

export type Choice = { search: string; level: LogLevel; source: string | undefined };

const { maxLogEntries } = PANELS_LIMITS;

const isLevel = (value: unknown): value is LogLevel => LOG_LEVELS.some((level) => level === value);

/** What a tab's state says is shown; all sources from "info" on when it says nothing. */
export function choiceOf({ search, level, source }: JsonObject): Choice {
  return {
    search: typeof search === "string" ? search : "",
    level: isLevel(level) ? level : "info",
    source: typeof source === "string" && source !== "" ? source : undefined,
  };
}

/** In the order they were written, each once, the newest of them kept. What comes may overlap with what is there. */
export function addLines(lines: readonly LogEntry[], entries: readonly LogEntry[]): readonly LogEntry[] {
  const last = lines.at(-1)?.id ?? Number.NEGATIVE_INFINITY;
  const isNext = entries.every(({ id }, at) => id > (entries[at - 1]?.id ?? last));
  if (isNext) return entries.length === 0 ? lines : [...lines, ...entries].slice(-maxLogEntries);
  const byId = new Map([...lines, ...entries].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((one, other) => one.id - other.id).slice(-maxLogEntries);
}

/** Every word of the search, in any order, in the source or the message. */
export function filterLines(lines: readonly LogEntry[], { search, level, source }: Choice): readonly LogEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const least = LOG_LEVELS.indexOf(level);
  return lines.filter((line) => {
    if (LOG_LEVELS.indexOf(line.level) < least || (source !== undefined && line.source !== source)) return false;
    if (words.length === 0) return true;
    const text = `${line.source} ${line.message}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** To choose from. What was chosen stays there, also when its last line is gone. */
export function sourcesOf(lines: readonly LogEntry[], chosen: string | undefined): string[] {
  const names = new Set(lines.map(({ source }) => source));
  if (chosen !== undefined) names.add(chosen);
  return [...names].sort();
}

const two = (part: number) => String(part).padStart(2, "0");

/** 14:30:58.104, as the clock here says. */
export function timeOf({ at }: LogEntry): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const seconds = `${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}

/** A line as it is copied: with its whole time, so that it can stand alone. */
export const textOf = ({ at, level, source, message }: LogEntry): string => `${at} ${level} ${source} ${message}`;
