export type Position = { line: number; column: number };

/** Deeper than any metadata; what goes deeper is passed over, and told where this depth begins. */
const MAX_DEPTH = 100;

/**
 * Where each value of a JSON text begins, by JSON pointer. For text that JSON.parse has accepted: it is walked, not
 * checked. Of a key that comes twice the last one counts, as for JSON.parse.
 */
export function positionsIn(text: string): (pointer: string) => Position {
  const offsets = new Map<string, number>();
  let at = 0;

  const skipSpace = () => {
    while (/\s/.test(text.charAt(at)) && at < text.length) at += 1;
  };
  const skipString = (): string => {
    const from = at;
    at += 1;
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    at += 1;
    return text.slice(from, at);
  };
  const skipPlain = () => {
    while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at += 1;
  };
  /** However deep it is: without calling itself. */
  const skipNested = () => {
    let depth = 0;
    do {
      const letter = text.charAt(at);
      if (letter === '"') skipString();
      else {
        if (/[[{]/.test(letter)) depth += 1;
        if (/[\]}]/.test(letter)) depth -= 1;
        at += 1;
      }
    } while (depth > 0 && at < text.length);
  };
  /** Past the members of a list or an object; `member` reads one and returns its pointer. */
  const walk = (end: string, depth: number, member: () => string) => {
    at += 1;
    skipSpace();
    while (at < text.length && text[at] !== end) {
      value(member(), depth + 1);
      skipSpace();
      if (text[at] === ",") at += 1;
      skipSpace();
    }
    at += 1;
  };
  function value(pointer: string, depth: number): void {
    skipSpace();
    offsets.set(pointer, at);
    const start = text[at];
    if (start === '"') skipString();
    else if (depth >= MAX_DEPTH && (start === "[" || start === "{")) skipNested();
    else if (start === "[") {
      let index = 0;
      walk("]", depth, () => `${pointer}/${index++}`);
    } else if (start === "{") {
      walk("}", depth, () => {
        const key = JSON.parse(skipString()) as string;
        skipSpace();
        at += 1;
        return `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      });
    } else skipPlain();
  }
  value("", 0);

  return (pointer) => {
    let known = pointer;
    while (known !== "" && !offsets.has(known)) known = known.slice(0, known.lastIndexOf("/"));
    return positionAt(text, offsets.get(known) ?? 0);
  };
}

/** Counted from 1, as editors do. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - (before.lastIndexOf("\n") + 1) + 1 };
}
