import type { CheckNote } from "@backplane/registry/authoring";
import { SHAPES, type Terminal } from "../terminal.ts";
import { countOf, plain } from "../text.ts";

/** What a check found, in the format that editors understand: place, message, and what was likely meant. */
export function printNotes(out: Terminal, subject: string, notes: readonly CheckNote[]): void {
  for (const { level, line, column, path, pointer, message, fix } of notes) {
    const tone = level === "error" ? "danger" : "warn";
    const at = line === undefined ? "" : `:${line}:${column ?? 1}`;
    const words = [`${subject}${at}`, path, pointer, message].filter((part) => part !== undefined && part !== "");
    out.line(`${out.paint(tone, SHAPES[tone])} ${plain(words.join(" "))}`);
    if (fix !== undefined) out.line(`  likely meant: ${plain(fix)}`);
  }
}

export function summaryOf(notes: readonly CheckNote[]): string {
  const errors = notes.filter(({ level }) => level === "error").length;
  const warnings = notes.length - errors;
  if (notes.length === 0) return "no problems found";
  return [
    ...(errors > 0 ? [countOf(errors, "error")] : []),
    ...(warnings > 0 ? [countOf(warnings, "warning")] : []),
  ].join(", ");
}
