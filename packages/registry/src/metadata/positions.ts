export type Position = { line: number; column: number };

/** The wanted places, as a tree. */
type Wanted = { pointer: string; members: Map<string, Wanted> };

const [SPACE, QUOTE, BACKSLASH, COMMA] = [32, 34, 92, 44];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/**
 * Where the values at these JSON pointers begin, found in one walk. The text must be valid JSON. If a key comes twice,
 * the last one counts, as with JSON.parse. A missing value gets the position of what it is missing in.
 */
export function positionsIn(given: string, pointers: Iterable<string>): (pointer: string) => Position {
  const text = withoutMark(given);
  const offsets = new Map<string, number>();
  let at = 0;

  const skipSpace = () => {
    while (text.charCodeAt(at) <= SPACE) at += 1;
  };
  const skipString = () => {
    at += 1;
    for (let code = text.charCodeAt(at); code !== QUOTE && at < text.length; code = text.charCodeAt(at)) {
      at += code === BACKSLASH ? 2 : 1;
    }
    at += 1;
  };
  /** Without recursion, so depth does not matter. */
  const skipValue = () => {
    let depth = 0;
    do {
      skipSpace();
      const code = text.charCodeAt(at);
      if (code === QUOTE) skipString();
      else {
        if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
        if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
        at += 1;
        if (depth === 0) skipPlain(code);
      }
    } while (depth > 0 && at < text.length);
  };
  /** The rest of a number or a word. */
  const skipPlain = (first: number) => {
    if (first === CLOSE_LIST || first === CLOSE_OBJECT) return;
    for (let code = text.charCodeAt(at); at < text.length; code = text.charCodeAt(at)) {
      if (code <= SPACE || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT) return;
      at += 1;
    }
  };
  const keyHere = (): string => {
    const from = at;
    skipString();
    const key = JSON.parse(text.slice(from, at)) as string;
    skipSpace();
    at += 1;
    return key;
  };
  /** Only as deep as the wanted pointers. */
  const walk = (wanted: Wanted | undefined): void => {
    skipSpace();
    if (wanted) offsets.set(wanted.pointer, at);
    const start = text.charCodeAt(at);
    if (!wanted?.members.size || (start !== OPEN_LIST && start !== OPEN_OBJECT)) {
      skipValue();
      return;
    }
    const end = start === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT;
    at += 1;
    skipSpace();
    for (let index = 0; at < text.length && text.charCodeAt(at) !== end; index += 1) {
      walk(wanted.members.get(start === OPEN_LIST ? String(index) : keyHere()));
      skipSpace();
      if (text.charCodeAt(at) === COMMA) at += 1;
      skipSpace();
    }
    at += 1;
  };
  walk(treeOf(pointers));

  const positionOf = positionsAt(text);
  return (pointer) => {
    let known = pointer;
    while (known !== "" && !offsets.has(known)) known = known.slice(0, known.lastIndexOf("/"));
    return positionOf(offsets.get(known) ?? 0);
  };
}

function treeOf(pointers: Iterable<string>): Wanted {
  const root: Wanted = { pointer: "", members: new Map() };
  for (const pointer of pointers) {
    let place = root;
    for (const part of pointer.split("/").slice(1)) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      const member = place.members.get(key) ?? { pointer: `${place.pointer}/${part}`, members: new Map() };
      place.members.set(key, member);
      place = member;
    }
  }
  return root;
}

/** Without the byte order mark that some editors write; it does not count as a column. */
export const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

/** Escapes a name for a JSON pointer. */
export const pointerPart = (name: string | number): string => String(name).replaceAll("~", "~0").replaceAll("/", "~1");

/** Lines and columns count from 1, as in editors. The lines are found once for all offsets. */
export function positionsAt(text: string): (offset: number) => Position {
  const starts = [0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Every JSON token except strings. */
const TOKEN = /[ \t\n\r]*(?:[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
const WHITESPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Where parsing stopped: the position in JSON.parse's message, or else the first character that is not JSON. */
export function jsonFaultAt(error: unknown, text: string): number {
  const position = /at position (\d+)/.exec((error as Error).message)?.[1];
  if (position !== undefined) return Number(position);
  let at = 0;
  for (;;) {
    const start = past(WHITESPACE, text, at) ?? at;
    const next = text.charCodeAt(start) === QUOTE ? pastText(text, start) : past(TOKEN, text, at);
    if (next === undefined) return start;
    at = next;
  }
}

function past(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Character by character, because one pattern for a long string can overflow the stack. Undefined: it does not end. */
function pastText(text: string, start: number): number | undefined {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code >= SPACE; code = text.charCodeAt(at)) {
    if (code === QUOTE) return at + 1;
    const next = code === BACKSLASH ? past(ESCAPE, text, at) : at + 1;
    if (next === undefined) return undefined;
    at = next;
  }
  return undefined;
}
