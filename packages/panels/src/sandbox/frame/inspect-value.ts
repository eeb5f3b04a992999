import type { Natives } from "./natives.ts";

export type Inspect = ReturnType<typeof createInspect>;
type ErrorText = ReturnType<typeof createErrorText>;
type Listings = ReturnType<typeof createListings>;
/** The objects around a value. Not an array: foreign code may have put setters where its entries go. */
type Seen = { value: object; around: Seen | undefined; depth: number } | undefined;
type Render = (value: unknown, seen: Seen) => string;

/** Errors as a console shows them. */
export function createErrorText(natives: Natives) {
  const { slice } = natives;
  const MAX_LINES = 100;
  const CODE_LINE = /^\s*at (?:async )?(?:(.*?) \()?code:(\d+):\d+\)?$/;
  const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

  /** `TypeError: nope`, then the lines of the code that was sent. */
  function describeError(error: object): string {
    const { name, message, stack } = error as { name?: unknown; message?: unknown; stack?: unknown };
    const title = textOf(name) === "" ? "Error" : textOf(name);
    let text = textOf(message) === "" ? title : `${title}: ${textOf(message)}`;
    let rest = textOf(stack);
    for (let count = 0; rest !== "" && count < MAX_LINES; count += 1) {
      const end = natives.indexOf(rest, "\n");
      const found = natives.execute(CODE_LINE, end === -1 ? rest : slice(rest, 0, end));
      rest = end === -1 ? "" : slice(rest, end + 1);
      if (!found) continue;
      const within = found[1] === undefined || found[1] === "eval" || found[1] === "" ? "" : `${found[1]}, `;
      text += `\n    at ${within}line ${found[2]}`;
    }
    return text;
  }

  return {
    describeError,
    isErrorLike: (value: object): boolean =>
      natives.isError(value) || natives.objectToString(value) === "[object DOMException]",
  };
}

/** What is inside lists, maps, sets and objects. */
export function createListings(natives: Natives, render: Render) {
  const { getOwnPropertyDescriptor, isArray, keys } = natives;
  const MAX_PARTS = 100;
  const MAX_TEXT = 20_000;
  const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

  function list(value: ArrayLike<unknown>, title: string, seen: Seen): string {
    let text = "";
    const length = value.length;
    for (let i = 0; i < length; i += 1) {
      if (i === MAX_PARTS || text.length > MAX_TEXT) return `${title}[${text}, … ${length - i} more]`;
      text += `${i === 0 ? "" : ", "}${part(value, i, seen)}`;
    }
    return `${title}[${text}]`;
  }

  function entries(value: Map<unknown, unknown>, title: string, seen: Seen): string {
    let text = "";
    let count = 0;
    natives.mapForEach(value, (entry, key) => {
      count += 1;
      if (count <= MAX_PARTS && text.length <= MAX_TEXT) {
        text += `${count === 1 ? "" : ", "}${render(key, seen)} => ${render(entry, seen)}`;
      }
    });
    return `${title}{${text === "" ? "" : ` ${text}${count > MAX_PARTS ? ", …" : ""} `}}`;
  }

  function members(value: Set<unknown>, title: string, seen: Seen): string {
    let text = "";
    let count = 0;
    natives.setForEach(value, (entry) => {
      count += 1;
      if (count <= MAX_PARTS && text.length <= MAX_TEXT) text += `${count === 1 ? "" : ", "}${render(entry, seen)}`;
    });
    return `${title}{${text === "" ? "" : ` ${text}${count > MAX_PARTS ? ", …" : ""} `}}`;
  }

  function fields(value: object, seen: Seen): string {
    const names = keys(value);
    let text = "";
    for (let i = 0; i < names.length; i += 1) {
      if (i === MAX_PARTS || text.length > MAX_TEXT) return `${text}, …`;
      const name = names[i] as string;
      const shown = natives.execute(IDENTIFIER, name) ? name : natives.stringify(name);
      text += `${i === 0 ? "" : ", "}${shown}: ${part(value, name, seen)}`;
    }
    return text;
  }

  /** Does not run getters. */
  function part(value: object, name: string | number, seen: Seen): string {
    const found = getOwnPropertyDescriptor(value, name);
    if (!found) return isArray(value) ? "empty" : render((value as Record<string, unknown>)[name], seen);
    return natives.hasOwn(found, "value") ? render(found.value, seen) : "[Getter]";
  }

  return { list, entries, members, fields };
}

/** Objects that are neither plain nor lists, by their kind. */
export function createSpecialText(natives: Natives, errors: ErrorText, { list, entries, members }: Listings) {
  const { slice, apply } = natives;
  const MAX_MARKUP = 500;
  const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
  /** Undefined where a method refuses what it is not for. */
  const attempt = <Result>(method: (self: never) => Result, self: unknown): Result | undefined => {
    try {
      return apply(method as never, undefined, [self]) as Result;
    } catch {
      return undefined;
    }
  };

  function describeNode(value: object): string | undefined {
    if (attempt(natives.nodeType, value) === undefined) return undefined;
    const markup = attempt(natives.outerHtml, value) ?? attempt(natives.nodeText, value);
    return typeof markup === "string"
      ? markup.length > MAX_MARKUP
        ? `${slice(markup, 0, MAX_MARKUP)}…`
        : markup
      : `[${textOf(natives.nodeName(value))}]`;
  }

  /** Undefined: an object like any other. */
  return function special(value: object, seen: Seen): string | undefined {
    if (typeof value === "function") {
      const { name } = value as { name?: unknown };
      const isClass = natives.indexOf(natives.functionToString(value), "class") === 0;
      return textOf(name) === ""
        ? `[${isClass ? "class" : "Function"}]`
        : `[${isClass ? "class" : "Function"} ${textOf(name)}]`;
    }
    if (errors.isErrorLike(value)) return errors.describeError(value);
    const tag = slice(natives.objectToString(value), 8, -1);
    switch (tag) {
      case "Object":
      case "Array":
        return undefined;
      case "Date": {
        const time = attempt(natives.dateGetTime, value);
        return time === undefined || natives.is(time, Number.NaN)
          ? "Invalid Date"
          : natives.dateToISOString(value as Date);
      }
      case "RegExp":
        return attempt(natives.regexpToString, value);
      case "Map": {
        const size = attempt(natives.mapSize, value);
        return size === undefined ? undefined : entries(value as Map<unknown, unknown>, `Map(${size}) `, seen);
      }
      case "Set": {
        const size = attempt(natives.setSize, value);
        return size === undefined ? undefined : members(value as Set<unknown>, `Set(${size}) `, seen);
      }
      case "Promise":
      case "WeakMap":
      case "WeakSet":
      case "WeakRef":
      case "Window":
        return `[${tag}]`;
      default:
        return attempt(natives.typedArrayName, value) === undefined
          ? describeNode(value)
          : list(value as unknown[], `${tag}(${natives.typedArrayLength(value)}) `, seen);
    }
  };
}

/** Any value as a console shows it: short, and safe against getters and proxy traps. */
export function createInspect(natives: Natives) {
  const { getPrototypeOf, isArray, slice } = natives;
  const MAX_DEPTH = 4;
  const MAX_STRING = 10_000;
  const MAX_TEXT = 20_000;
  const MAX_TITLE = 500;
  const errors = createErrorText(natives);
  const listings = createListings(natives, render);
  const special = createSpecialText(natives, errors, listings);
  const clip = (text: string, length: number): string => (text.length > length ? `${slice(text, 0, length)}…` : text);
  const isPlain = (value: object): boolean => {
    const prototype = getPrototypeOf(value);
    return prototype === natives.ObjectPrototype || prototype === null || prototype === natives.ArrayPrototype;
  };

  function titleOf(value: object): string {
    if (isPlain(value)) return "";
    const { constructor: maker } = getPrototypeOf(value) as { constructor?: { name?: unknown } };
    const name = typeof maker?.name === "string" ? maker.name : "";
    return name === "" || name === "Object" ? "" : `${clip(name, MAX_TITLE)} `;
  }

  function renderObject(value: object, seen: Seen): string {
    for (let at = seen; at; at = at.around) if (at.value === value) return "[Circular]";
    const depth = seen ? seen.depth + 1 : 1;
    const within: Seen = { value, around: seen, depth };
    try {
      const found = isPlain(value) ? undefined : special(value, within);
      if (found !== undefined) return found;
      if (depth > MAX_DEPTH) return isArray(value) ? "[…]" : "{…}";
      if (isArray(value)) return listings.list(value, "", within);
      const text = listings.fields(value, within);
      return `${titleOf(value)}${text === "" ? "{}" : `{ ${text} }`}`;
    } catch {
      // A trap, a getter or a changed prototype got in the way.
      return "[unreadable]";
    }
  }

  function render(value: unknown, seen: Seen): string {
    switch (typeof value) {
      case "string":
        return natives.stringify(clip(value, MAX_STRING)) ?? "";
      case "number":
        return natives.is(value, -0) ? "-0" : `${value}`;
      case "bigint":
        return `${natives.bigintToString(value)}n`;
      case "symbol":
        return natives.symbolToString(value);
      case "object":
      case "function":
        return value === null ? "null" : renderObject(value, seen);
      default:
        return `${value as undefined | boolean}`;
    }
  }

  return {
    inspect: (value: unknown): string => clip(render(value, undefined), MAX_TEXT),
    /** As an argument of console.log: text as it is. */
    say: (value: unknown): string => clip(typeof value === "string" ? value : render(value, undefined), MAX_TEXT),
    /** A thrown value of any kind. */
    describeThrown(thrown: unknown): string {
      try {
        if (typeof thrown === "object" && thrown !== null && errors.isErrorLike(thrown))
          return errors.describeError(thrown);
      } catch {
        return "Error: [unreadable]";
      }
      return `Uncaught ${render(thrown, undefined)}`;
    },
    special: (value: object): string | undefined => (isPlain(value) ? undefined : special(value, undefined)),
  };
}
