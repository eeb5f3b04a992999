import type { LogEntry } from "@backplane/contract/panels";

/** What is read out of lines that came: only what somebody would want to be interrupted for. */
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
