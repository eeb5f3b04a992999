import { type FileFault, faultAt } from "./fault.ts";
import { List } from "./nodes.ts";
import { LIST, markOf, markOfWord, SPAN, Tree, unquoted, WORD } from "./tree.ts";

/** Lists inside lists, at most. KiCad itself stays below 20. */
export const MAX_DEPTH = 512;
/** Characters of a file, at most. */
export const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Less than KiCad's files have. The room for the nodes grows where a file has fewer. */
const CHARACTERS_PER_NODE = 4;

const QUOTE = 34;
const HASH = 35;
const OPEN = 40;
const CLOSE = 41;
const BACKSLASH = 92;
const SPACE = 32;
const NEWLINE = 10;

/**
 * Reads one S-expression. Every node knows its span, so that what nobody touches keeps its bytes when the file is saved.
 * Throws a FileFault that names line and column.
 */
export function readTree(text: string, limits = { depth: MAX_DEPTH, characters: MAX_CHARACTERS }): List {
  if (text.length > limits.characters) {
    throw faultAt(text, 0, `The file is larger than the limit of ${limits.characters} characters`);
  }
  let spans = new Int32Array(SPAN * (Math.ceil(text.length / CHARACTERS_PER_NODE) + 1));
  let count = 0;
  const open = new Int32Array(Math.min(limits.depth, text.length));
  let depth = 0;
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
    if (depth === 0 && (code !== OPEN || count > 0)) throw outside(text, at, code, count > 0);
    if (code === CLOSE) {
      const list = (open[--depth] ?? 0) * SPAN;
      spans[list + 1] = ++at;
      spans[list + 2] = count;
      continue;
    }
    const node = count++ * SPAN;
    if (node === spans.length) spans = larger(spans);
    spans[node] = at;
    if (code === OPEN) {
      if (depth >= limits.depth) throw faultAt(text, at, `Lists are nested deeper than ${limits.depth}`);
      open[depth++] = count - 1;
      spans[node + 3] = LIST;
      at++;
      continue;
    }
    const start = at;
    at = code === QUOTE ? endOfString(text, at) : endOfWord(text, at);
    spans[node + 1] = at;
    spans[node + 2] = count;
    const mark = code === QUOTE ? 0 : markOf(at - start, code, text.charCodeAt(at - 1));
    if (code !== QUOTE) spans[node + 3] = WORD | mark;
    // The first atom of a list is its name.
    if (open[depth - 1] === count - 2)
      spans[node - 1] = LIST | (code === QUOTE ? markOfWord(unquoted(text, start + 1, at - 1)) : mark);
  }
  const tree = new Tree(text, spans);
  if (depth > 0) throw faultAt(text, tree.start(open[depth - 1] ?? 0), "The file ends inside a list that begins here");
  if (count === 0) throw faultAt(text, text.length, "The file is empty");
  return new List(tree, 0);
}

function larger(spans: Int32Array): Int32Array<ArrayBuffer> {
  const twice = new Int32Array(2 * spans.length);
  twice.set(spans);
  return twice;
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

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
  throw faultAt(text, start, "A quoted string that begins here does not end");
}
