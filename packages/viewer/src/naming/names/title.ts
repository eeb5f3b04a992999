import type { Line } from "../recognition/recognised-lines.ts";
import { isInterfaceWord } from "./word-lists.ts";
import { wordsOf } from "./words.ts";

/** The one line that is clearly larger than all others. `parts`: split at dashes, bars and colons. */
export type Title = { line: Line; words: string[]; parts: string[][] };

/** Compared with the second largest line. */
const CLEARLY_LARGER = 1.3;
const MIN_WORDS = 3;
/** With less confidence the engine is guessing, also about sizes. */
const SURE = 65;
const SEPARATOR = /\s[-–—|»›]\s|\s?[—|:]\s/;
/** `Rev C`, `Part 2`: the first word says nothing without the second. */
const COUNTED =
  /\b(rev|revision|version|part|phase|step|stage|chapter|batch|lot|run)\.?\s+([A-Z]|\d{1,2})(?=$|[\s,;.)])/i;

/** A line with fewer than three words is not a title. `texts`: without secrets. */
export function findTitle(lines: readonly Line[], texts: readonly string[]): Title | undefined {
  let largest: { line: Line; text: string } | undefined;
  let second = 0;
  lines.forEach((line, at) => {
    const text = texts[at] ?? "";
    if (line.confidence < SURE || wordsOf(text).length === 0) return;
    if (largest === undefined || line.height > largest.line.height) {
      second = largest?.line.height ?? 0;
      largest = { line, text };
    } else second = Math.max(second, line.height);
  });
  if (largest === undefined || largest.line.height < second * CLEARLY_LARGER) return undefined;
  const parts = largest.text.split(SEPARATOR).map(countedWordsOf);
  const words = parts.flat();
  const specific = new Set(words.filter((word) => !isInterfaceWord(word)));
  return specific.size < MIN_WORDS ? undefined : { line: largest.line, words, parts };
}

function countedWordsOf(text: string): string[] {
  const counted = COUNTED.exec(text);
  if (counted === null) return wordsOf(text);
  const [whole, label = "", count = ""] = counted;
  const after = text.slice(counted.index + whole.length);
  return [...wordsOf(text.slice(0, counted.index)), label.toLowerCase(), count.toLowerCase(), ...countedWordsOf(after)];
}

/** Below this share of the text's height is the footer. */
const FOOTER = 0.85;
const SMALLER_THAN_USUAL = 0.75;
const SMALLER_THAN_TITLE = 0.5;
/** Distance to the text above the footer, in font sizes. */
const GAP = 4;

export type Page = { usual: number; bottom: number; titleHeight: number | undefined };

/** Small lines in the footer: author, source, copyright. They say nothing about the subject. */
export function findSmallPrint(lines: readonly Line[], { usual, bottom, titleHeight }: Page): Set<Line> {
  const isInFooter = ({ y }: Line) => y >= bottom * FOOTER;
  const bodyEnd = Math.max(0, ...lines.filter((line) => !isInFooter(line)).map(({ y, height }) => y + height));
  const isSmall = ({ y, height }: Line) =>
    height < usual * SMALLER_THAN_USUAL ||
    (titleHeight !== undefined && height <= titleHeight * SMALLER_THAN_TITLE && y - bodyEnd > GAP * height);
  return new Set(lines.filter((line) => isInFooter(line) && isSmall(line)));
}
