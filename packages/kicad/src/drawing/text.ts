import type { Box, Writing } from "./primitives.ts";

/** All text is drawn in a monospaced font, so its size is known without one. Relative to the height of a capital letter. */
export const EM = 1.36;
const ADVANCE = 0.6 * EM;
const LINE_SPACING = 1.62;
const SMALL = 0.7;
const BAR_RISE = 1.22;

/** A piece of a line: where it begins on its baseline, relative to the anchor of the text before it is turned. */
export type Run = { text: string; x: number; y: number; size: number };
export type Bar = { from: number; to: number; y: number };
export type TextLayout = { runs: Run[]; bars: Bar[]; box: Box };

type Mark = "plain" | "bar" | "low" | "high";
const MARKS: Readonly<Record<string, Mark>> = { "~": "bar", _: "low", "^": "high" };

/** KiCad writes characters that mean something else as names in braces. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ slash: "/", backslash: "\\", lt: "<", gt: ">", colon: ":", dblquote: '"', space: " ", tab: "\t" },
  ...{ brace: "{", return: "\n" },
};
const plainText = (text: string): string =>
  text.replace(
    /\{(slash|backslash|lt|gt|colon|dblquote|space|tab|brace|return)\}/g,
    (_, name: string) => NAMED[name] ?? "",
  );

/** The pieces of one line: `~{…}` has a bar above it, `_{…}` is lower, `^{…}` is higher. */
function piecesOf(line: string): { text: string; mark: Mark }[] {
  const pieces: { text: string; mark: Mark }[] = [];
  let plain = "";
  let at = 0;
  /** Looked for once: text full of marks takes no longer than other text. */
  const last = line.lastIndexOf("}");
  const take = (text: string, mark: Mark) => {
    if (text !== "") pieces.push({ text, mark });
  };
  while (at < line.length) {
    const sign = line[at] ?? "";
    const mark = line[at + 1] === "{" ? MARKS[sign] : undefined;
    const end = mark && at < last ? line.indexOf("}", at) : -1;
    if (mark && end !== -1) {
      take(plain, "plain");
      plain = "";
      take(plainText(line.slice(at + 2, end)), mark);
      at = end + 1;
    } else {
      plain += sign;
      at += 1;
    }
  }
  take(plain, "plain");
  return pieces;
}

const sizeOf = (mark: Mark, size: number): number => (mark === "low" || mark === "high" ? size * SMALL : size);

export const textWidth = (text: string, size: number): number =>
  Math.max(
    ...plainText(text)
      .split("\n")
      .map((line) =>
        piecesOf(line).reduce((sum, piece) => sum + piece.text.length * ADVANCE * sizeOf(piece.mark, size), 0),
      ),
  );

/** Where the pieces of a text go, relative to its anchor. */
export function layText({ text, size, across, down }: Pick<Writing, "text" | "size" | "across" | "down">): TextLayout {
  const lines = plainText(text).split("\n");
  const height = size * (1 + (lines.length - 1) * LINE_SPACING);
  const top = { top: 0, center: -height / 2, bottom: -height }[down];
  const runs: Run[] = [];
  const bars: Bar[] = [];
  let [left, right] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [index, line] of lines.entries()) {
    const width = textWidth(line, size);
    const y = top + size * (1 + index * LINE_SPACING);
    let x = { left: 0, center: -width / 2, right: -width }[across];
    left = Math.min(left, x);
    right = Math.max(right, x + width);
    for (const { text, mark } of piecesOf(line)) {
      const own = sizeOf(mark, size);
      const shift = { plain: 0, bar: 0, low: 0.3, high: -0.5 }[mark] * size;
      runs.push({ text, x, y: y + shift, size: own });
      const to = x + text.length * ADVANCE * own;
      if (mark === "bar") bars.push({ from: x, to, y: y - size * BAR_RISE });
      x = to;
    }
  }
  return { runs, bars, box: { left, right, top: top - size * 0.3, bottom: top + height + size * 0.3 } };
}

/** Breaks lines between words, where they would be wider than `width`. */
export function wrapText(text: string, size: number, width: number): string {
  const most = Math.max(1, Math.floor(width / (ADVANCE * size)));
  const wrapped: string[] = [];
  for (const line of plainText(text).split("\n")) {
    let open = "";
    for (const word of line.split(" ")) {
      const longer = open === "" ? word : `${open} ${word}`;
      if (longer.length <= most || open === "") open = longer;
      else {
        wrapped.push(open);
        open = word;
      }
    }
    wrapped.push(open);
  }
  return wrapped.join("\n");
}
