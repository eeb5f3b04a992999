import type { Line } from "../recognition/recognised-lines.ts";
import { HIDDEN } from "./secret-labels.ts";
import { findSmallPrint, type Title } from "./title.ts";
import { ACTION_WORDS, isInterfaceWord, SIGNAL_WORDS } from "./word-lists.ts";
import { stemOf, wordsOf } from "./words.ts";

/** The words of a line, and how much they say about the picture. `isSure`: the OCR engine is confident. */
export type ScoredLine = { words: string[]; score: number; at: number; isSure: boolean; isTitle: boolean };

/** A line in its context. `text`: without secrets. `isAlone`: no other line is in the same row. */
type LineInContext = { line: Line; text: string; words: string[]; isMenu: boolean; isAlone: boolean };
/** `usual`: the font size of most text. `spread`: in how many lines a word occurs. */
type Layout = { usual: number; top: number; bottom: number; spread: Map<string, number> };

const PROMPT = /^\s*(?:[\w.-]{1,64}@[\w.-]{1,64}[^$#%]{0,40}[$#%>]|[$❯➜>%]|PS [A-Z]:\\[^>]*>)\s+(?=[a-z./])/;
const CODE = /[{};]|=>|\(\)|==|\b(?:const|let|var|return|import|def|fn|func|void|static)\b/g;
const DEFINITION = /\b(?:function|class|def|fn|func|struct|interface|module|impl|type|void)\s+\w{3,}/;
const TITLE_LABEL = /^\W*(?:title|subject|re)\s*:\s*(?=\S)/i;
const MENU_ROW = /^\W*(?:\w+\W+)?file\s+edit\b(?:.*\b(?:help|window)\b)?/i;
const COUNTED_NOTHING = /\b(?:0|no)\s+(?:errors?|warnings?|failures?|failed|problems?|conflicts?)\b/i;
const REFUSAL = /\bnot (?:found|recogni|responding|allow|support)/i;
/** A title bar is in this share of the picture, from the top. */
const TITLE_BAR_SHARE = 0.12;
const MAX_TITLE_WORDS = 6;
/** A line with more words is a sentence. */
const MAX_HEADING_WORDS = 8;
const MAX_REPETITIONS = 4;
/** Relative to the usual font size. */
const MAX_HEADING_SIZE = 2.6;
/** With less confidence the engine is guessing. */
const SURE = 65;

/** Best first: the title comes before all others; small print is left out. */
export function scoreLines(lines: readonly Line[], texts: readonly string[], title?: Title): ScoredLine[] {
  const contexts = lines.map((line, at) =>
    line === title?.line ? titleInContext(title, texts[at] ?? "") : inContext(line, texts[at] ?? "", lines),
  );
  const layout = {
    usual: usualSize(contexts),
    top: Math.min(...lines.map(({ y }) => y)),
    bottom: Math.max(1, ...lines.map(({ y, height }) => y + height)),
    spread: spreadOf(contexts),
  };
  const smallPrint = findSmallPrint(lines, { ...layout, titleHeight: title?.line.height });
  return contexts
    .map((context, at) => ({
      words: context.words,
      score: smallPrint.has(context.line) ? 0 : scoreOf(context, layout),
      at,
      isSure: context.line.confidence >= SURE,
      isTitle: context.line === title?.line,
    }))
    .filter(({ words, score, isTitle }) => words.length > 0 && (score > 0 || isTitle))
    .sort((one, other) => Number(other.isTitle) - Number(one.isTitle) || other.score - one.score || one.at - other.at);
}

/** All words of a title count, even those of menus. */
function titleInContext({ line, words }: Title, text: string): LineInContext {
  return { line, text, words, isMenu: false, isAlone: true };
}

function inContext(line: Line, whole: string, lines: readonly Line[]): LineInContext {
  const isAlone = !lines.some((other) => other !== line && Math.abs(other.y - line.y) < line.height / 2);
  const text = withoutApplication(whole.replace(MENU_ROW, ""), line, lines);
  const words = wordsOf(text.replace(TITLE_LABEL, "").replace(PROMPT, ""));
  const interfaceWords = words.filter(isInterfaceWord).length;
  const isMenu = interfaceWords >= 3 && interfaceWords >= words.length / 2;
  return { line, text, isAlone, isMenu, words: isMenu ? words.filter((word) => !isInterfaceWord(word)) : words };
}

function scoreOf(context: LineInContext, layout: Layout): number {
  const { line, text, words } = context;
  if (words.length === 0) return 0;
  const specific = words.filter((word) => !isInterfaceWord(word));
  const isSignal = hasSignal(text, words);
  const letters = text.replace(/[^A-Za-z ]/g, "").length / Math.max(1, text.length);
  let score = 0.4 * Math.min((specific.length + words.length) / 2, 4) + 1.2 * letters;
  score += sizeBonus(line, layout) + 0.9 * (1 - line.y / layout.bottom) ** 2 + repetition(specific, layout);
  if (isSignal) score += 1.5;
  if (PROMPT.test(text)) score += 0.8;
  if (isInTitleBar(context, layout)) score += 1.5;
  if (TITLE_LABEL.test(text)) score += 2.5;
  if (DEFINITION.test(text)) score += 0.5;
  else score -= Math.min(1.5, 0.5 * (text.match(CODE) ?? []).length);
  if (specific.every((word) => ACTION_WORDS.has(word))) score -= 1.8;
  else if (words.length === 1) score -= 0.5;
  const isSentence = text.split(" ").length > MAX_HEADING_WORDS && (!isSignal || /[.!?]$/.test(text));
  if (isSentence) score -= 0.8;
  if (text.includes(HIDDEN)) score *= 0.6;
  return line.confidence < SURE ? score / 2 : score;
}

function sizeBonus(line: Line, { usual }: Layout): number {
  return 2.6 * Math.max(0, Math.min(MAX_HEADING_SIZE, line.height / usual) - 1.12);
}

/** Words that occur in several lines are the subject; more than a few occurrences are just a column. */
function repetition(specific: readonly string[], { spread }: Layout): number {
  const times = specific.map((word) => Math.log2(Math.min(MAX_REPETITIONS, spread.get(stemOf(word)) ?? 1)));
  return (0.5 * times.reduce((sum, one) => sum + one, 0)) / (specific.length + 1);
}

/** In the first row of a window, unless that is a menu. */
function isInTitleBar({ line, words, isMenu, isAlone }: LineInContext, { top, bottom }: Layout): boolean {
  const isFirst = line.y < top + line.height && line.y < bottom * TITLE_BAR_SHARE;
  return isFirst && isAlone && !isMenu && words.length <= MAX_TITLE_WORDS;
}

function hasSignal(text: string, words: readonly string[]): boolean {
  if (COUNTED_NOTHING.test(text)) return false;
  return words.some((word) => SIGNAL_WORDS.has(word)) || REFUSAL.test(text);
}

/** `cart.ts - shop - Some Editor`: the last part of a title bar is the program, not the subject. */
function withoutApplication(text: string, line: Line, lines: readonly Line[]): string {
  const isTop = lines.filter(({ y }) => y + line.height / 2 < line.y).length < 2;
  const parts = text.split(/\s[-–—|]\s/);
  return isTop && parts.length >= 2 ? parts.slice(0, -1).join(" ") : text;
}

function spreadOf(contexts: readonly LineInContext[]): Map<string, number> {
  const spread = new Map<string, number>();
  for (const { words } of contexts) {
    for (const stem of new Set(words.map(stemOf))) spread.set(stem, (spread.get(stem) ?? 0) + 1);
  }
  return spread;
}

/** The median font size, counted by characters. */
function usualSize(contexts: readonly LineInContext[]): number {
  const bySize = [...contexts].sort((one, other) => one.line.height - other.line.height);
  const half = bySize.reduce((sum, { text }) => sum + text.length, 0) / 2;
  let passed = 0;
  for (const { line, text } of bySize) {
    passed += text.length;
    if (passed >= half && line.height > 0) return line.height;
  }
  return 1;
}
