/** Everything that JSON has but texts. */
const TOKEN = /[ \t\n\r]*(?:[{}[\],:]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const [QUOTE, BACKSLASH, FIRST_PRINTABLE] = [34, 92, 32];

/** Where reading stops: as JSON.parse says it, or, where it does not, at the first thing that is no part of JSON. */
export function jsonFaultAt(error: unknown, text: string): number {
  const position = /at position (\d+)/.exec((error as Error).message)?.[1];
  if (position !== undefined) return Number(position);
  let at = 0;
  for (;;) {
    const start = past(SPACE, text, at) ?? at;
    const next = text.charCodeAt(start) === QUOTE ? pastText(text, start) : past(TOKEN, text, at);
    if (next === undefined) return start;
    at = next;
  }
}

function past(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Letter by letter: a pattern for all of a long text remembers every step of it. Undefined: it does not end. */
function pastText(text: string, start: number): number | undefined {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code >= FIRST_PRINTABLE; code = text.charCodeAt(at)) {
    if (code === QUOTE) return at + 1;
    const next = code === BACKSLASH ? past(ESCAPE, text, at) : at + 1;
    if (next === undefined) return undefined;
    at = next;
  }
  return undefined;
}
