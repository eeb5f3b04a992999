import type { ErrorObject } from "ajv";
import { pointerPart } from "./positions.ts";

/** More values than these are not told one by one. */
const MAX_NAMED_VALUES = 10;

/** Where a fault is, and what is wrong there in words. */
export function wordsFor(error: ErrorObject): { at: string; message: string } {
  const { instancePath, keyword, params, schema } = error;
  const inside = (name: unknown) => `${instancePath}/${pointerPart(String(name))}`;
  const here = (message: string) => ({ at: instancePath, message });
  switch (keyword) {
    case "required":
      return { at: inside(params.missingProperty), message: "is missing" };
    case "additionalProperties":
      return { at: inside(params.additionalProperty), message: "is not a name that may stand here" };
    case "enum": {
      const values = params.allowedValues as string[];
      return here(values.length > MAX_NAMED_VALUES ? "is not on the list" : `must be one of ${values.join(", ")}`);
    }
    case "type":
      return here(`must be ${NOUNS[String(params.type)] ?? params.type}`);
    case "maxLength":
      return here(`is longer than ${params.limit} characters`);
    case "pattern":
      return here(shapeOf(instancePath) ?? `must match ${String(schema ?? params.pattern)}`);
    case "minimum":
      return here(`must be ${params.limit} or more`);
    case "minItems":
      return here("must have at least one item, or be left out");
    case "uniqueItems":
      return here("has the same item twice");
    default:
      return here(error.message ?? "is invalid");
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  object: "an object",
  array: "a list",
};

/** What a pattern asks for, by the field. */
const SHAPES: readonly [field: RegExp, shape: string][] = [
  [/\/version$/, "must be numbers as 1, 1.2 or 1.2.3"],
  [/_version(_max)?$/, "must be a version of the tool as 9, 9.0 or 9.0.2"],
  [/\/(url|download_url|\$schema)$/, "must be an address that begins with https://, http:// or file://"],
  [/sha256$/, "must be 64 digits and letters a to f, in lower case"],
  [/\/identifier$/, "must be 2 to 100 letters, digits, dots and dashes, a letter first, no dot or dash last"],
  [/\/tags\/\d+$/, "must be 2 to 50 lower-case letters, digits and dashes, a letter first, no dash last"],
  [/\/update_time_utc$/, "must be written YYYY-MM-DD HH:MM:SS"],
];

const shapeOf = (pointer: string): string | undefined => SHAPES.find(([field]) => field.test(pointer))?.[1];
