import { styleText } from "node:util";

export type Tone = "ok" | "warn" | "danger" | "off" | "strong" | "accent";

const FORMATS = {
  ok: "green",
  warn: "yellow",
  danger: "red",
  off: "dim",
  strong: "bold",
  accent: "cyan",
} as const;

/** State is a shape before it is a colour: the four of our pages. */
export const SHAPES = { ok: "●", warn: "◆", danger: "■", off: "○" } as const;

export type Terminal = {
  line(text?: string): void;
  paint(tone: Tone, text: string): string;
  /** Whether a person is looking, rather than a file or a pipe. */
  isInteractive: boolean;
};

/** Colours only where the stream is a terminal and nobody asked for none (NO_COLOR). */
export function openTerminal(stream: NodeJS.WriteStream): Terminal {
  // Whoever reads may have enough, as head does: what is left is for nobody, and no fault.
  if (stream.listenerCount("error") === 0) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
  return {
    line: (text = "") => stream.write(`${text}\n`),
    paint: (tone, text) => styleText(FORMATS[tone], text, { stream }),
    isInteractive: stream.isTTY === true,
  };
}

/** Rows of cells as aligned columns, two spaces in. Widths are those of the plain text. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widthOf(column))).join("  ")}`.trimEnd());
}
