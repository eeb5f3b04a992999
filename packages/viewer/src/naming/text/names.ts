import { NAME_PATTERN, VIEWER_LIMITS } from "../../contract.ts";
import { type ScoredLine, scoreLines } from "./line-scores.ts";
import { SIGNAL_WORDS } from "./noise-words.ts";
import type { RecognisedText } from "./recognised.ts";
import { hideSecrets } from "./secret-labels.ts";
import { looksSecret } from "./secrets.ts";
import { isChrome, stemOf } from "./words.ts";

export type NameOptions = { max?: number };

const MOST_WORDS = 6;
/** A name from one line alone has at least so many; else the next best line completes it. */
const ENOUGH_WORDS = 5;
/** Two names with more words in common say the same. */
const MOST_IN_COMMON = 0.5;
/** Best lines that names are made of. */
const LINES_CONSIDERED = 12;
const PATTERN = new RegExp(NAME_PATTERN);
/** Would be taken for the name that every screenshot has at first. */
const FIRST_NAME = /^sp-\d/;

/** Ranked, different in substance, each fit for a file. What looks like a secret is in none of them. */
export function suggestNames(
  { lines }: RecognisedText,
  { max = VIEWER_LIMITS.suggestions }: NameOptions = {},
): string[] {
  const shown = hideSecrets(lines.map(({ text }) => text));
  const best = scoreLines(lines, shown).slice(0, LINES_CONSIDERED);
  const names: string[][] = [];
  for (const from of best) {
    if (names.length >= max) break;
    const words = shorten(complete(from, best));
    if (words.length > 0 && isFit(words) && !names.some((other) => saysTheSame(words, other))) names.push(words);
  }
  return names.map((words) => words.join("-"));
}

function complete(from: ScoredLine, best: readonly ScoredLine[]): string[] {
  const words = addWords([], from.words, MOST_WORDS);
  for (const line of best) {
    if (words.length >= ENOUGH_WORDS) break;
    if (line !== from) addWords(words, line.words, Math.min(MOST_WORDS, words.length + 3));
  }
  return words;
}

/** The most telling ones when there is no room for all, in their order. */
function addWords(words: string[], more: readonly string[], most: number): string[] {
  const stems = new Set(words.map(stemOf));
  const fresh = more.filter((word) => !stems.has(stemOf(word)) && stems.add(stemOf(word)));
  const room = most - words.length;
  const telling = fresh.filter((word) => !isChrome(word));
  const wanted = telling.length >= 2 && fresh.length > room ? telling : fresh;
  const kept = new Set([...wanted].sort((one, other) => worth(other) - worth(one)).slice(0, room));
  words.push(...wanted.filter((word) => kept.has(word)));
  return words;
}

function worth(word: string): number {
  return (SIGNAL_WORDS.has(word) ? 2 : 0) + (isChrome(word) ? -1 : 0) + Math.min(word.length, 8) / 16;
}

function shorten(words: string[]): string[] {
  const fitting = [...words];
  while (fitting.join("-").length > VIEWER_LIMITS.maxNameCharacters) fitting.pop();
  return fitting;
}

function isFit(words: string[]): boolean {
  const name = words.join("-");
  return PATTERN.test(name) && !FIRST_NAME.test(name) && !words.some(looksSecret);
}

function saysTheSame(words: readonly string[], other: readonly string[]): boolean {
  const stems = new Set(other.map(stemOf));
  const common = words.filter((word) => stems.has(stemOf(word))).length;
  return common > Math.min(words.length, other.length) * MOST_IN_COMMON;
}
