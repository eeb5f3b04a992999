import { NAME_PATTERN, VIEWER_LIMITS } from "@backplane/contract/viewer";
import type { RecognisedText } from "../recognition/recognised-lines.ts";
import { type ScoredLine, scoreLines } from "./line-scores.ts";
import { hideSecrets } from "./secret-labels.ts";
import { looksSecret } from "./secrets.ts";
import { findTitle, type Title } from "./title.ts";
import { isInterfaceWord, SIGNAL_WORDS } from "./word-lists.ts";
import { stemOf } from "./words.ts";

export type NameOptions = { max?: number };

const MAX_WORDS = 6;
/** One more, so that a title is not shortened by a single word. */
const MAX_TITLE_WORDS = 7;
/** A line with fewer words is completed with words of the next best lines. */
const ENOUGH_WORDS = 5;
/** Two names that share more of their words say the same. */
const MAX_IN_COMMON = 0.5;
/** Used when there are too few names otherwise. */
const MAX_IN_COMMON_RELAXED = 0.75;
/** A line needs this many words to be a name by itself. */
const MIN_WORDS = 3;
const MIN_PART_WORDS = 2;
/** A shorter name is not split into parts. */
const MIN_WORDS_TO_SPLIT = 4;
/** Names are made from this many of the best lines. */
const LINES_CONSIDERED = 12;
const PATTERN = new RegExp(NAME_PATTERN);
/** Only consonants are curves of a drawing, or say too little. Digits are in part numbers. */
const SPOKEN = /[aeiouy0-9]/;
/** Looks like the first name of a screenshot. */
const FIRST_NAME = /^sp-\d/;

/** Valid names that say different things, the best first. They contain nothing that looks like a secret. */
export function suggestNames(
  { lines }: RecognisedText,
  { max = VIEWER_LIMITS.suggestions }: NameOptions = {},
): string[] {
  const shown = hideSecrets(lines.map(({ text }) => text));
  const title = findTitle(lines, shown);
  const best = scoreLines(lines, shown, title).slice(0, LINES_CONSIDERED);
  const names: string[][] = [];
  const offer = (candidate: string[], maxInCommon: number): void => {
    const words = shorten(candidate);
    if (names.length >= max || words.length === 0 || !isValid(words)) return;
    if (!names.some((other) => saysTheSame(words, other, maxInCommon))) names.push(words);
  };
  const sure = best.filter((line, at) => line.isSure || (at === 0 && saysEnough(line.words, MIN_PART_WORDS)));
  const complete = sure.map((from) => completed(from, sure));
  const own = sure.map(ownWords);
  for (const words of complete) offer(words, MAX_IN_COMMON);
  for (const words of own) if (saysEnough(words, MIN_WORDS)) offer(words, MAX_IN_COMMON);
  for (const words of complete) offer(words, MAX_IN_COMMON_RELAXED);
  for (const words of partsOf(names[0] ?? [], title)) if (saysEnough(words, MIN_PART_WORDS)) offer(words, 1);
  for (const words of own) if (saysEnough(words, MIN_PART_WORDS)) offer(words, MAX_IN_COMMON);
  for (const words of complete) offer(words, 1);
  return names.map((words) => words.join("-"));
}

function ownWords({ words, isTitle }: ScoredLine): string[] {
  return isTitle ? uniqueWords(words).slice(0, MAX_TITLE_WORDS) : addWords([], words, MAX_WORDS);
}

function completed(from: ScoredLine, best: readonly ScoredLine[]): string[] {
  const words = ownWords(from);
  if (from.isTitle) return words;
  for (const line of best) {
    if (words.length >= ENOUGH_WORDS) break;
    if (line !== from) addWords(words, line.words, Math.min(MAX_WORDS, words.length + 3));
  }
  return words;
}

/** Shorter names for the same subject: the parts of the title, then the first and second half of the name. */
function partsOf(name: readonly string[], title: Title | undefined): string[][] {
  if (name.length < MIN_WORDS_TO_SPLIT) return [];
  const half = Math.ceil(name.length / 2);
  const parts = (title?.parts ?? []).map((words) => uniqueWords(words).slice(0, MAX_WORDS));
  return [...(parts.length > 1 ? parts : []), name.slice(0, half), name.slice(half), name.slice(0, -1)];
}

function saysEnough(words: readonly string[], min: number): boolean {
  return words.filter((word) => !isInterfaceWord(word)).length >= min;
}

function uniqueWords(words: readonly string[]): string[] {
  const stems = new Set<string>();
  return words.filter((word) => !stems.has(stemOf(word)) && stems.add(stemOf(word)));
}

/** Adds words in their order; if not all fit, only the most useful ones. */
function addWords(words: string[], more: readonly string[], max: number): string[] {
  const stems = new Set(words.map(stemOf));
  const added = more.filter((word) => !stems.has(stemOf(word)) && stems.add(stemOf(word)));
  const room = max - words.length;
  const specific = added.filter((word) => !isInterfaceWord(word));
  const wanted = specific.length >= 2 && added.length > room ? specific : added;
  const kept = new Set([...wanted].sort((one, other) => worth(other) - worth(one)).slice(0, room));
  words.push(...wanted.filter((word) => kept.has(word)));
  return words;
}

function worth(word: string): number {
  return (SIGNAL_WORDS.has(word) ? 2 : 0) + (isInterfaceWord(word) ? -1 : 0) + Math.min(word.length, 8) / 16;
}

function shorten(words: string[]): string[] {
  const fitting = [...words];
  while (fitting.join("-").length > VIEWER_LIMITS.maxNameCharacters) fitting.pop();
  return fitting;
}

function isValid(words: string[]): boolean {
  const name = words.join("-");
  return PATTERN.test(name) && SPOKEN.test(name) && !FIRST_NAME.test(name) && !words.some(looksSecret);
}

function saysTheSame(words: readonly string[], other: readonly string[], maxInCommon: number): boolean {
  const stems = new Set(other.map(stemOf));
  const common = words.filter((word) => stems.has(stemOf(word))).length;
  if (common === words.length && words.length === other.length) return true;
  return common > Math.min(words.length, other.length) * maxInCommon;
}
