const BACKSLASH = 92;
const [PLUS, MINUS, DOT, ZERO, NINE] = [43, 45, 46, 48, 57];
/** Digits of a number that is certainly read without rounding. */
const EXACT_DIGITS = 15;
/** Characters of other alphabets, of which some are white space around a number. */
const BEYOND_ASCII = 128;

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", a: "\x07", b: "\b", f: "\f", v: "\v" };
const TENS = Float64Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);

/** Numbers per node in `spans`: where it starts, where it ends, the node after it and all that is in it, and its mark. */
export const SPAN = 4;
/** The mark of a list begins with this, that of a word with the other; that of a string is 0. */
export const LIST = 1 << 30;
export const WORD = 1 << 29;

/** Most words differ in their length, first or last letter: the rest of the mark of a word, and of a list with that name. */
export const markOf = (length: number, first: number, last: number): number =>
  ((length & 0x1fff) << 16) | ((first & 0xff) << 8) | (last & 0xff);

export const markOfWord = (word: string): number =>
  markOf(word.length, word.charCodeAt(0), word.charCodeAt(word.length - 1));

/**
 * The nodes of a text, in its order, as numbers: a sheet has tens of thousands of them, and most are never asked for. Objects
 * and strings are made from it when they are.
 */
export class Tree {
  readonly text: string;
  readonly spans: Int32Array;

  constructor(text: string, spans: Int32Array) {
    this.text = text;
    this.spans = spans;
  }

  start(node: number): number {
    return this.spans[node * SPAN] ?? 0;
  }

  end(node: number): number {
    return this.spans[node * SPAN + 1] ?? 0;
  }

  /** The node after `node` and all that is in it. */
  after(node: number): number {
    return this.spans[node * SPAN + 2] ?? 0;
  }

  mark(node: number): number {
    return this.spans[node * SPAN + 3] ?? 0;
  }

  isList(node: number): boolean {
    return this.mark(node) >= LIST;
  }

  isString(node: number): boolean {
    return this.mark(node) === 0;
  }

  /** What an atom means. */
  value(node: number): string {
    const start = this.start(node);
    const end = this.end(node);
    return this.isString(node) ? unquoted(this.text, start + 1, end - 1) : this.text.slice(start, end);
  }

  /** Whether an atom means this word. */
  says(node: number, word: string): boolean {
    if (this.isString(node)) return this.value(node) === word;
    const { text } = this;
    const start = this.start(node);
    if (this.end(node) - start !== word.length) return false;
    for (let at = 0; at < word.length; at++) if (text.charCodeAt(start + at) !== word.charCodeAt(at)) return false;
    return true;
  }

  /** The first list of that name from `node` on and before `end`, or -1. */
  find(name: string, node: number, end: number): number {
    const { spans } = this;
    const mark = LIST | markOfWord(name);
    for (let at = node; at < end; at = spans[at * SPAN + 2] ?? end)
      if (spans[at * SPAN + 3] === mark && this.says(at + 1, name)) return at;
    return -1;
  }

  /** The number that a word is; NaN for words that are none, and for all other nodes. */
  number(node: number): number {
    const { text } = this;
    const start = this.start(node);
    const end = this.end(node);
    const first = text.charCodeAt(start);
    let at = first === MINUS || first === PLUS ? start + 1 : start;
    let value = 0;
    let digits = 0;
    let point = end;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code >= ZERO && code <= NINE) {
        value = value * 10 + (code - ZERO);
        digits++;
      } else if (code === DOT && point === end) point = at + 1;
      else break;
    }
    if (at === end && digits > 0 && digits <= EXACT_DIGITS) {
      // Both are whole numbers without rounding, so that their quotient is rounded as the written number is.
      const size = point === end ? value : value / (TENS[end - point] ?? 1);
      return first === MINUS ? -size : size;
    }
    const isPlain = first === PLUS || first === MINUS || first === DOT || (first >= ZERO && first <= NINE);
    return isPlain || first >= BEYOND_ASCII ? Number(text.slice(start, end)) : Number.NaN;
  }
}

/** What a quoted string means, from after its first quote to before its last. */
export function unquoted(text: string, start: number, end: number): string {
  let value = "";
  let from = start;
  for (let at = start; at < end; at++) {
    if (text.charCodeAt(at) !== BACKSLASH) continue;
    const escaped = text[++at] ?? "";
    value += text.slice(from, at - 1) + (ESCAPES[escaped] ?? escaped);
    from = at + 1;
  }
  return from === start ? text.slice(start, end) : value + text.slice(from, end);
}
