import type { Line } from "../recognition/recognised-lines.ts";
import { HIDDEN } from "./secret-labels.ts";
import { findSmallPrint, type Title } from "./title.ts";
import { ACTION_WORDS, isChrome, SIGNAL_WORDS } from "./word-lists.ts";
import { stemOf, wordsOf } from "./words.ts";

/** The words of a line, and how much they say about what the picture shows. `isSure`: the engine did not guess. */
export type ScoredLine = { words: string[]; score: number; at: number; isSure: boolean; isTitle: boolean };

/** `text`: without secrets. `isAlone`: nothing stands beside it. */
type Setting = { line: Line; text: string; words: string[]; isMenu: boolean; isAlone: boolean };
/** `usual`: the size of most text. `spread`: in how many lines a word is. */
type Sheet = { usual: number; top: number; bottom: number; spread: Map<string, number> };

const PROMPT = /^\s*(?:[\w.-]+@[\w.-]+[^$#%]{0,40}[$#%>]|[$❯➜>%]|PS [A-Z]:\\[^>]*>)\s+(?=[a-z./])/;
const CODE = /[{};]|=>|\(\)|==|\b(?:const|let|var|return|import|def|fn|func|void|static)\b/g;
const DEFINITION = /\b(?:function|class|def|fn|func|struct|interface|module|impl|type|void)\s+\w{3,}/;
const TITLE_LABEL = /^\W*(?:title|subject|re)\s*:\s*(?=\S)/i;
const MENU_ROW = /^\W*(?:\w+\W+)?file\s+edit\b(?:.*\b(?:help|window)\b)?/i;
const COUNTED_NOTHING = /\b(?:0|no)\s+(?:errors?|warnings?|failures?|failed|problems?|conflicts?)\b/i;
const REFUSAL = /\bnot (?:found|recogni|responding|allow|support)/i;
/** A title bar is no lower than this. */
const TITLE_BAR_SHARE = 0.12;
const LONGEST_TITLE = 6;
/** In words; more is a sentence. */
const LONGEST_HEADING = 8;
const MOST_REPEATED = 4;
const LARGEST_HEADING = 2.6;
/** Below it the engine guesses. */
const SURE = 65;

/** Best first; the title of a page before all others, and its small print not at all. */
export function scoreLines(lines: readonly Line[], texts: readonly string[], title?: Title): ScoredLine[] {
  const settings = lines.map((line, at) =>
    line === title?.line ? titleSetting(title, texts[at] ?? "") : settingOf(line, texts[at] ?? "", lines),
  );
  const sheet = {
    usual: usualSize(settings),
    top: Math.min(...lines.map(({ y }) => y)),
    bottom: Math.max(1, ...lines.map(({ y, height }) => y + height)),
    spread: spreadOf(settings),
  };
  const smallPrint = findSmallPrint(lines, { ...sheet, titleHeight: title?.line.height });
  return settings
    .map((setting, at) => ({
      words: setting.words,
      score: smallPrint.has(setting.line) ? 0 : scoreOf(setting, sheet),
      at,
      isSure: setting.line.confidence >= SURE,
      isTitle: setting.line === title?.line,
    }))
    .filter(({ words, score, isTitle }) => words.length > 0 && (score > 0 || isTitle))
    .sort((one, other) => Number(other.isTitle) - Number(one.isTitle) || other.score - one.score || one.at - other.at);
}

/** All that a title says is its subject. */
function titleSetting({ line, words }: Title, text: string): Setting {
  return { line, text, words, isMenu: false, isAlone: true };
}

function settingOf(line: Line, whole: string, lines: readonly Line[]): Setting {
  const isAlone = !lines.some((other) => other !== line && Math.abs(other.y - line.y) < line.height / 2);
  const text = withoutApplication(whole.replace(MENU_ROW, ""), line, lines);
  const words = wordsOf(text.replace(TITLE_LABEL, "").replace(PROMPT, ""));
  const chrome = words.filter(isChrome).length;
  const isMenu = chrome >= 3 && chrome >= words.length / 2;
  return { line, text, isAlone, isMenu, words: isMenu ? words.filter((word) => !isChrome(word)) : words };
}

function scoreOf(setting: Setting, sheet: Sheet): number {
  const { line, text, words } = setting;
  if (words.length === 0) return 0;
  const telling = words.filter((word) => !isChrome(word));
  const isSignal = hasSignal(text, words);
  const letters = text.replace(/[^A-Za-z ]/g, "").length / Math.max(1, text.length);
  let score = 0.4 * Math.min((telling.length + words.length) / 2, 4) + 1.2 * letters;
  score += sizeBonus(line, sheet) + 0.9 * (1 - line.y / sheet.bottom) ** 2 + repetition(telling, sheet);
  if (isSignal) score += 1.5;
  if (PROMPT.test(text)) score += 0.8;
  if (isInTitleBar(setting, sheet)) score += 1.5;
  if (TITLE_LABEL.test(text)) score += 2.5;
  if (DEFINITION.test(text)) score += 0.5;
  else score -= Math.min(1.5, 0.5 * (text.match(CODE) ?? []).length);
  if (telling.every((word) => ACTION_WORDS.has(word))) score -= 1.8;
  else if (words.length === 1) score -= 0.5;
  const isSentence = text.split(" ").length > LONGEST_HEADING && (!isSignal || /[.!?]$/.test(text));
  if (isSentence) score -= 0.8;
  if (text.includes(HIDDEN)) score *= 0.6;
  return line.confidence < SURE ? score / 2 : score;
}

function sizeBonus(line: Line, { usual }: Sheet): number {
  return 2.6 * Math.max(0, Math.min(LARGEST_HEADING, line.height / usual) - 1.12);
}

/** What is said in several places is what it is about; what is in every line is a column. */
function repetition(telling: readonly string[], { spread }: Sheet): number {
  const times = telling.map((word) => Math.log2(Math.min(MOST_REPEATED, spread.get(stemOf(word)) ?? 1)));
  return (0.5 * times.reduce((sum, one) => sum + one, 0)) / (telling.length + 1);
}

/** The first row of a window, unless it is full of menus. */
function isInTitleBar({ line, words, isMenu, isAlone }: Setting, { top, bottom }: Sheet): boolean {
  const isFirst = line.y < top + line.height && line.y < bottom * TITLE_BAR_SHARE;
  return isFirst && isAlone && !isMenu && words.length <= LONGEST_TITLE;
}

function hasSignal(text: string, words: readonly string[]): boolean {
  if (COUNTED_NOTHING.test(text)) return false;
  return words.some((word) => SIGNAL_WORDS.has(word)) || REFUSAL.test(text);
}

/** `cart.ts - shop - Some Editor`: the last part of a title bar names the program, not the subject. */
function withoutApplication(text: string, line: Line, lines: readonly Line[]): string {
  const isTop = lines.filter(({ y }) => y + line.height / 2 < line.y).length < 2;
  const parts = text.split(/\s[-–—|]\s/);
  return isTop && parts.length >= 2 ? parts.slice(0, -1).join(" ") : text;
}

function spreadOf(settings: readonly Setting[]): Map<string, number> {
  const spread = new Map<string, number>();
  for (const { words } of settings) {
    for (const stem of new Set(words.map(stemOf))) spread.set(stem, (spread.get(stem) ?? 0) + 1);
  }
  return spread;
}

/** Of the character in the middle, when all are ordered by their size. */
function usualSize(settings: readonly Setting[]): number {
  const bySize = [...settings].sort((one, other) => one.line.height - other.line.height);
  const half = bySize.reduce((sum, { text }) => sum + text.length, 0) / 2;
  let passed = 0;
  for (const { line, text } of bySize) {
    passed += text.length;
    if (passed >= half && line.height > 0) return line.height;
  }
  return 1;
}
