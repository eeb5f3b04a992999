import { type FileFault, faultAt } from "./fault.ts";
import type { List, Node } from "./nodes.ts";

/** Lists inside lists, at most. KiCad itself stays below 20. */
export const MAX_DEPTH = 512;
/** Characters of a file, at most. */
export const MAX_CHARACTERS = 64 * 1024 * 1024;

const QUOTE = 34;
const HASH = 35;
const OPEN = 40;
const CLOSE = 41;
const BACKSLASH = 92;
const SPACE = 32;
const NEWLINE = 10;

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", a: "\x07", b: "\b", f: "\f", v: "\v" };

/**
 * Reads one S-expression. Every node knows its span, so that what nobody touches keeps its bytes when the file is saved.
 * Throws a FileFault that names line and column.
 */
export function readTree(text: string, limits = { depth: MAX_DEPTH, characters: MAX_CHARACTERS }): List {
  if (text.length > limits.characters) {
    throw faultAt(text, 0, `The file is larger than the limit of ${limits.characters} characters`);
  }
  // The items of all lists that are open, one after the other: a list takes its own when it ends, and no array has to grow.
  const pending: Node[] = [];
  let count = 0;
  const open: { readonly start: number; readonly from: number }[] = [];
  let lineStart = true;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) {
      if (code === NEWLINE) lineStart = true;
      at++;
      continue;
    }
    if (code === HASH && lineStart) {
      const end = text.indexOf("\n", at);
      at = end === -1 ? text.length : end;
      continue;
    }
    lineStart = false;
    if (open.length === 0 && (code !== OPEN || count > 0)) throw outside(text, at, code, count > 0);
    if (code === OPEN) {
      if (open.length >= limits.depth) throw faultAt(text, at, `Lists are nested deeper than ${limits.depth}`);
      open.push({ start: at++, from: count });
    } else if (code === CLOSE) {
      at++;
      const { start, from } = open.pop() ?? { start: 0, from: 0 };
      const items = pending.slice(from, count);
      pending[from] = { kind: "list", start, end: at, items };
      count = from + 1;
    } else if (code === QUOTE) {
      const string = readString(text, at);
      pending[count++] = string;
      at = string.end;
    } else {
      const end = endOfWord(text, at);
      pending[count++] = { kind: "word", start: at, end, value: text.slice(at, end) };
      at = end;
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw faultAt(text, unclosed.start, "The file ends inside a list that begins here");
  const [only] = pending;
  if (count === 0 || only?.kind !== "list") throw faultAt(text, text.length, "The file is empty");
  return only;
}

function outside(text: string, at: number, code: number, afterEnd: boolean): FileFault {
  if (code === CLOSE) return faultAt(text, at, "A closing parenthesis has no opening one");
  return faultAt(
    text,
    at,
    afterEnd ? "There is more text after the end of the list" : "The file does not begin with (",
  );
}

function endOfWord(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === OPEN || code === CLOSE || code === QUOTE) break;
  }
  return at;
}

function readString(text: string, start: number): Node {
  let value = "";
  let from = start + 1;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return { kind: "string", start, end: at + 1, value: value + text.slice(from, at) };
    if (code !== BACKSLASH) continue;
    const escaped = text[++at] ?? "";
    value += text.slice(from, at - 1) + (ESCAPES[escaped] ?? escaped);
    from = at + 1;
  }
  throw faultAt(text, start, "A quoted string that begins here does not end");
}
