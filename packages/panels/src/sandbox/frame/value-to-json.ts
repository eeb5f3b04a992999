import type { Inspect } from "./inspect-value.ts";
import type { Natives } from "./natives.ts";

/**
 * A value as JSON text, like JSON.stringify. Parts that JSON cannot express (functions, maps, circular references) are
 * described in text. Undefined: the value is undefined.
 */
export function createValueToJson(natives: Natives, { inspect, special }: Inspect, maxBytes: number) {
  const { isArray, keys, create, stringify, defineProperty, slice } = natives;
  const MAX_DEPTH = 100;
  const MAX_VALUES = 200_000;
  /** How much of a text that is too long is kept. */
  const MAX_CUT = 20_000;
  /** A code unit takes at most this many bytes in UTF-8. */
  const BYTES_PER_CHARACTER = 3;
  type Around = { value: object; around: Around } | undefined;
  let values = 0;

  function convert(value: unknown, around: Around, depth: number): unknown {
    values += 1;
    if (values > MAX_VALUES) throw new TypeError("too many values");
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return natives.numberIsFinite(value) && !natives.is(value, -0) ? value : inspect(value);
      case "undefined":
        return undefined;
      case "object":
        return value === null ? null : convertObject(value, around, depth);
      default:
        return inspect(value);
    }
  }

  function convertObject(value: object, around: Around, depth: number): unknown {
    for (let at = around; at; at = at.around) if (at.value === value) return "[Circular]";
    if (depth >= MAX_DEPTH) return inspect(value);
    const known = special(value);
    if (known !== undefined) return known;
    const { toJSON } = value as { toJSON?: unknown };
    const within: Around = { value, around };
    if (typeof toJSON === "function") return convert(natives.apply(toJSON, value, []), within, depth + 1);
    if (isArray(value)) {
      const list: unknown[] = [];
      for (let i = 0; i < value.length; i += 1) {
        const part = convert(value[i], within, depth + 1);
        set(list, i, part === undefined ? null : part);
      }
      return list;
    }
    const fields = create(null);
    const names = keys(value);
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i] as string;
      const part = convertField(value, name, within, depth);
      if (part !== undefined) fields[name] = part;
    }
    return fields;
  }

  function convertField(value: object, name: string, within: Around, depth: number): unknown {
    let part: unknown;
    try {
      part = (value as Record<string, unknown>)[name];
    } catch {
      return "[Getter threw]";
    }
    return convert(part, within, depth + 1);
  }

  /** Not by assignment: the prototype may have a setter for this index. */
  function set(list: unknown[], at: number, value: unknown): void {
    const entry = create(null);
    entry.value = value;
    entry.writable = entry.enumerable = entry.configurable = true;
    defineProperty(list, at, entry);
  }

  return (value: unknown): string | undefined => {
    if (value === undefined) return undefined;
    values = 0;
    let text: string | undefined;
    try {
      text = stringify(convert(value, undefined, 0));
    } catch {
      text = undefined;
    }
    const isShort = text !== undefined && text.length * BYTES_PER_CHARACTER <= maxBytes;
    if (isShort || (text !== undefined && natives.encodedLength(text) <= maxBytes)) return text;
    return stringify(
      typeof value === "string" ? `${slice(value, 0, MAX_CUT)}… (${value.length} characters)` : inspect(value),
    );
  };
}
