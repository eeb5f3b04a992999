import { isObject, own } from "../json.ts";

/** What a template is given: the message as text, and as JSON if it is. */
export type TemplateInput = { text: string; json: unknown };
export type Template = (input: TemplateInput) => unknown;

const MAX_LENGTH = 500;
const MAX_STEPS = 16;

const asNumber = (value: unknown, otherwise: unknown): unknown => {
  const number = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) && value !== null && typeof value !== "object" ? number : otherwise;
};
const isMissing = (value: unknown): boolean => value === undefined || value === null;

/** All that templates may do. None of these runs code, and none makes a value larger than 500 characters more than it was. */
const FILTERS: Readonly<Record<string, (value: unknown, ...args: unknown[]) => unknown>> = {
  float: (value, otherwise) => asNumber(value, otherwise),
  int(value, otherwise) {
    const number = asNumber(value, undefined);
    return typeof number === "number" ? Math.trunc(number) : otherwise;
  },
  round(value, digits = 0) {
    const number = asNumber(value, undefined);
    if (typeof number !== "number") return undefined;
    return Number(number.toFixed(Math.min(12, Math.max(0, Math.trunc(Number(digits) || 0)))));
  },
  abs(value) {
    const number = asNumber(value, undefined);
    return typeof number === "number" ? Math.abs(number) : undefined;
  },
  lower: (value) => (isMissing(value) ? undefined : String(value).toLowerCase()),
  upper: (value) => (isMissing(value) ? undefined : String(value).toUpperCase()),
  string: (value) => (isMissing(value) ? undefined : String(value)),
  tojson: (value) => (value === undefined ? undefined : JSON.stringify(value)),
  default: (value, otherwise) => (isMissing(value) ? otherwise : value),
  truncate: (value, length = 255) => (isMissing(value) ? undefined : String(value).slice(0, Number(length) || 0)),
  is_defined: (value) => value,
};

type Token = { is: "name" | "text" | "number" | "sign"; value: string };
const TOKENS = /\s*(?:([A-Za-z_]\w*)|'([^'\\]*)'|"([^"\\]*)"|(-?\d+(?:\.\d+)?)|([.|(),[\]]))/y;

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  TOKENS.lastIndex = 0;
  while (TOKENS.lastIndex < text.length) {
    const at = TOKENS.lastIndex;
    const [, name, single, double, number, sign] = TOKENS.exec(text) ?? [];
    if (TOKENS.lastIndex <= at) return text.slice(at).trim() === "" ? tokens : undefined;
    if (name !== undefined) tokens.push({ is: "name", value: name });
    else if (number !== undefined) tokens.push({ is: "number", value: number });
    else if (sign !== undefined) tokens.push({ is: "sign", value: sign });
    else tokens.push({ is: "text", value: single ?? double ?? "" });
  }
  return tokens;
}

/** Reads tokens one after the other. */
class Reading {
  readonly #tokens: readonly Token[];
  #at = 0;
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }
  takeSign(sign: string): boolean {
    const { is, value } = this.#tokens[this.#at] ?? {};
    if (is !== "sign" || value !== sign) return false;
    this.#at += 1;
    return true;
  }
  take(...kinds: Token["is"][]): Token | undefined {
    const token = this.#tokens[this.#at];
    if (!token || !kinds.includes(token.is)) return undefined;
    this.#at += 1;
    return token;
  }
  isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }
}

const CONSTANTS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};

function literalOf(token: Token | undefined): { value: unknown } | undefined {
  if (token?.is === "text") return { value: token.value };
  if (token?.is === "number") return { value: Number(token.value) };
  return token && Object.hasOwn(CONSTANTS, token.value) ? { value: CONSTANTS[token.value] } : undefined;
}

/** `.name`, `['name']` and `[0]` after `value_json`. Undefined: something else follows. */
function readPath(reading: Reading): (string | number)[] | undefined {
  const path: (string | number)[] = [];
  while (path.length <= MAX_STEPS) {
    if (reading.takeSign(".")) {
      const name = reading.take("name");
      if (!name) return undefined;
      path.push(name.value);
    } else if (reading.takeSign("[")) {
      const key = reading.take("text", "number");
      if (!key || !reading.takeSign("]")) return undefined;
      path.push(key.is === "number" ? Number(key.value) : key.value);
    } else return path;
  }
  return undefined;
}

function readFilter(reading: Reading): ((value: unknown) => unknown) | undefined {
  const name = reading.take("name");
  if (!name || !Object.hasOwn(FILTERS, name.value)) return undefined;
  const filter = FILTERS[name.value] as (value: unknown, ...args: unknown[]) => unknown;
  const args: unknown[] = [];
  if (reading.takeSign("(") && !reading.takeSign(")")) {
    do {
      const literal = literalOf(reading.take("text", "number", "name"));
      if (!literal || args.length > 2) return undefined;
      args.push(literal.value);
    } while (reading.takeSign(","));
    if (!reading.takeSign(")")) return undefined;
  }
  return (value) => filter(value, ...args);
}

/**
 * A template in a closed language: a path from `value` or `value_json`, and filters of a list; or one of two words, by
 * whether such a path leads to anything. Undefined: it is not understood, and what it should have read is shown raw. There is nothing in it that could run code.
 */
export function compileTemplate(text: string): Template | undefined {
  const choice = text.length > MAX_LENGTH ? null : EITHER_OR.exec(text);
  if (choice) {
    const [, asked = "", yes = "", no = ""] = choice;
    const read = compilePath(`{{ ${asked} }}`);
    return read && ((input) => (isTrue(read(input)) ? yes : no).trim());
  }
  return compilePath(text);
}

/** How Zigbee2MQTT writes true and false. */
const EITHER_OR = /^\s*\{% if ([^{}%]+) %\}([^{}%]*)\{% else %\}([^{}%]*)\{% endif %\}\s*$/;

/** As Python sees it. */
const isTrue = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) ? Object.keys(value).length > 0 : Boolean(value);

function compilePath(text: string): Template | undefined {
  const inner = text.length > MAX_LENGTH ? undefined : /^\s*\{\{([^{}]*)\}\}\s*$/.exec(text)?.[1];
  const tokens = inner === undefined ? undefined : tokensOf(inner.replaceAll(/^-|-$/g, ""));
  if (!tokens || tokens.length > 64) return undefined;
  const reading = new Reading(tokens);
  const root = reading.take("name")?.value;
  if (root !== "value" && root !== "value_json") return undefined;
  const path = readPath(reading);
  if (!path) return undefined;
  const filters: ((value: unknown) => unknown)[] = [];
  while (reading.takeSign("|")) {
    const filter = readFilter(reading);
    if (!filter || filters.length >= MAX_STEPS) return undefined;
    filters.push(filter);
  }
  if (!reading.isAtEnd()) return undefined;
  return ({ text: value, json }) => {
    const start: unknown = root === "value" ? value : json;
    const found = path.reduce(own, start);
    return filters.reduce((result, filter) => filter(result), found);
  };
}

/**
 * Of a command: text in which `{{ value }}`, or `{{ position }}` of what has a position, stands for what is asked.
 * Undefined: it is not understood.
 */
export function compileCommandTemplate(text: string): ((value: string) => string) | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const parts = text.split(/\{\{\s*(?:value|position)(?:\s*\|\s*(?:int|float|string))?\s*\}\}/);
  if (parts.length < 2 || parts.length > MAX_STEPS || parts.some((part) => /\{\{|\{%|\{#/.test(part))) return undefined;
  return (value) => parts.join(value);
}
