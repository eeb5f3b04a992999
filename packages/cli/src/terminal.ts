import { styleText } from "node:util";
import { inOwnWords } from "./own-command.ts";

export type Tone = "ok" | "warn" | "danger" | "off" | "strong" | "accent";

const FORMATS = {
  ok: "green",
  warn: "yellow",
  danger: "red",
  off: "dim",
  strong: "bold",
  accent: "cyan",
} as const;

/** Every state has a shape as well as a colour, the same as on our pages. */
export const SHAPES = { ok: "●", warn: "◆", danger: "■", off: "○" } as const;

export type Terminal = {
  line(text?: string): void;
  /** A line that names a command to run next. */
  hint(text: string): void;
  paint(tone: Tone, text: string): string;
  /** Whether it is a terminal, rather than a file or a pipe. */
  isInteractive: boolean;
};

/** Colours only on a terminal, and not with NO_COLOR. */
export function openTerminal(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): Terminal {
  return {
    line: (text = "") => stream.write(`${text}\n`),
    hint: (text) => stream.write(`${inOwnWords(env, text)}\n`),
    paint: (tone, text) => styleText(FORMATS[tone], text, { stream }),
    isInteractive: stream.isTTY === true,
  };
}

/** Rows of cells as aligned columns, indented by two spaces. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widthOf(column))).join("  ")}`.trimEnd());
}
