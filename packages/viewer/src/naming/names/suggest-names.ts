import { NAME_PATTERN, VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { RecognisedText } from "../recognition/recognised-lines.ts";
import { type ScoredLine, scoreLines } from "./line-scores.ts";
import { hideSecrets } from "./secret-labels.ts";
import { looksSecret } from "./secrets.ts";
import { findTitle, type Title } from "./title.ts";
import { isChrome, SIGNAL_WORDS } from "./word-lists.ts";
import { stemOf } from "./words.ts";

export type NameOptions = { max?: number };

const MOST_WORDS = 6;
/** A title is not shortened for one word. */
const MOST_WORDS_OF_TITLE = 7;
/** A name from one line alone has at least so many; else the next best line completes it. */
const ENOUGH_WORDS = 5;
/** Two names with more words in common say the same. */
const MOST_IN_COMMON = 0.5;
/** When there are too few names else. */
const MORE_IN_COMMON = 0.75;
/** Of a line that is a name by itself. */
const LEAST_WORDS = 3;
const LEAST_WORDS_OF_PART = 2;
/** A text with fewer has one name. */
const WORTH_PARTING = 4;
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
  const title = findTitle(lines, shown);
  const best = scoreLines(lines, shown, title).slice(0, LINES_CONSIDERED);
  const names: string[][] = [];
  const offer = (candidate: string[], mostInCommon: number): void => {
    const words = shorten(candidate);
    if (names.length >= max || words.length === 0 || !isFit(words)) return;
    if (!names.some((other) => saysTheSame(words, other, mostInCommon))) names.push(words);
  };
  const sure = best.filter((line, at) => line.isSure || at === 0);
  const complete = sure.map((from) => completed(from, sure));
  const own = sure.map(ownWords);
  for (const words of complete) offer(words, MOST_IN_COMMON);
  for (const words of own) if (saysEnough(words, LEAST_WORDS)) offer(words, MOST_IN_COMMON);
  for (const words of complete) offer(words, MORE_IN_COMMON);
  for (const words of partsOf(names[0] ?? [], title)) if (saysEnough(words, LEAST_WORDS_OF_PART)) offer(words, 1);
  for (const words of own) if (saysEnough(words, LEAST_WORDS_OF_PART)) offer(words, MOST_IN_COMMON);
  for (const words of complete) offer(words, 1);
  return names.map((words) => words.join("-"));
}

function ownWords({ words, isTitle }: ScoredLine): string[] {
  return isTitle ? uniqueWords(words).slice(0, MOST_WORDS_OF_TITLE) : addWords([], words, MOST_WORDS);
}

function completed(from: ScoredLine, best: readonly ScoredLine[]): string[] {
  const words = ownWords(from);
  if (from.isTitle) return words;
  for (const line of best) {
    if (words.length >= ENOUGH_WORDS) break;
    if (line !== from) addWords(words, line.words, Math.min(MOST_WORDS, words.length + 3));
  }
  return words;
}

/** Shorter names of the same subject: the title's parts, else its beginning and its end. */
function partsOf(name: readonly string[], title: Title | undefined): string[][] {
  if (name.length < WORTH_PARTING) return [];
  const half = Math.ceil(name.length / 2);
  const parts = (title?.parts ?? []).map((words) => uniqueWords(words).slice(0, MOST_WORDS));
  return [...(parts.length > 1 ? parts : []), name.slice(0, half), name.slice(half), name.slice(0, -1)];
}

function saysEnough(words: readonly string[], least: number): boolean {
  return words.filter((word) => !isChrome(word)).length >= least;
}

function uniqueWords(words: readonly string[]): string[] {
  const stems = new Set<string>();
  return words.filter((word) => !stems.has(stemOf(word)) && stems.add(stemOf(word)));
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

function saysTheSame(words: readonly string[], other: readonly string[], mostInCommon: number): boolean {
  const stems = new Set(other.map(stemOf));
  const common = words.filter((word) => stems.has(stemOf(word))).length;
  if (common === words.length && words.length === other.length) return true;
  return common > Math.min(words.length, other.length) * mostInCommon;
}
