import type { Line } from "../recognition/recognised-lines.ts";
import { isChrome } from "./word-lists.ts";
import { wordsOf } from "./words.ts";

/** The one line that is clearly larger than all others. `parts`: as dashes, bars and colons part it. */
export type Title = { line: Line; words: string[]; parts: string[][] };

/** Than any other line that says something. */
const CLEARLY_LARGER = 1.3;
const LEAST_WORDS = 3;
/** Below it the engine guesses, sizes too. */
const SURE = 65;
const PARTING = /\s[-–—|»›]\s|\s?[—|:]\s/;
/** `Rev C`, `Part 2`: without the second the first says nothing. */
const COUNTED =
  /\b(rev|revision|version|part|phase|step|stage|chapter|batch|lot|run)\.?\s+([A-Z]|\d{1,2})(?=$|[\s,;.)])/i;

/** Of a page. What has less than three words is a heading like others. `texts`: without secrets. */
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
  const parts = largest.text.split(PARTING).map(countedWordsOf);
  const words = parts.flat();
  const telling = new Set(words.filter((word) => !isChrome(word)));
  return telling.size < LEAST_WORDS ? undefined : { line: largest.line, words, parts };
}

function countedWordsOf(text: string): string[] {
  const counted = COUNTED.exec(text);
  if (counted === null) return wordsOf(text);
  const [whole, label = "", count = ""] = counted;
  const after = text.slice(counted.index + whole.length);
  return [...wordsOf(text.slice(0, counted.index)), label.toLowerCase(), count.toLowerCase(), ...countedWordsOf(after)];
}

/** Of all text, from the top: what is lower is the foot of a page. */
const FOOT = 0.85;
const SMALLER_THAN_USUAL = 0.75;
const SMALLER_THAN_TITLE = 0.5;
/** To what stands above the foot, in sizes of its own. */
const GAP = 4;

export type Page = { usual: number; bottom: number; titleHeight: number | undefined };

/** Who made it, where it is kept, whose it is: the small lines at the foot of a page, which tell nothing of its subject. */
export function findSmallPrint(lines: readonly Line[], { usual, bottom, titleHeight }: Page): Set<Line> {
  const isAtFoot = ({ y }: Line) => y >= bottom * FOOT;
  const bodyEnd = Math.max(0, ...lines.filter((line) => !isAtFoot(line)).map(({ y, height }) => y + height));
  const isSmall = ({ y, height }: Line) =>
    height < usual * SMALLER_THAN_USUAL ||
    (titleHeight !== undefined && height <= titleHeight * SMALLER_THAN_TITLE && y - bodyEnd > GAP * height);
  return new Set(lines.filter((line) => isAtFoot(line) && isSmall(line)));
}
