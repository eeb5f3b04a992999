import { _, Ajv, type CodeKeywordDefinition, type KeywordCxt } from "ajv";
import { isLicense } from "./licenses.ts";

/** Longer lists are looked up in a set. */
const LONG_ENUM = 8;

/**
 * Three keywords with their standard meaning, but faster than ajv's own: characters are counted only if the length
 * leaves it open, a long enum is a set, and unique items are found in one pass.
 */
const KEYWORDS: readonly CodeKeywordDefinition[] = [
  {
    keyword: "maxLength",
    type: "string",
    schemaType: "number",
    error: { message: "is too long", params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
    code(cxt) {
      const { data, schemaCode } = cxt;
      cxt.fail(_`${data}.length > ${schemaCode} && ${given(cxt, countCharacters)}(${data}) > ${schemaCode}`);
    },
  },
  {
    keyword: "enum",
    schemaType: "array",
    error: { message: "is not on the list", params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}` },
    code(cxt) {
      const { data, schema } = cxt;
      const values = schema as readonly string[];
      if (values.length > LONG_ENUM) cxt.fail(_`!${given(cxt, new Set(values))}.has(${data})`);
      else cxt.fail(values.map((value) => _`${data} !== ${value}`).reduce((left, right) => _`${left} && ${right}`));
    },
  },
  {
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "occurs twice" },
    code(cxt) {
      if (cxt.schema === true) cxt.fail(_`${cxt.data}.length > 1 && !${given(cxt, isUnique)}(${cxt.data})`);
    },
  },
];

const given = ({ gen }: KeywordCxt, ref: unknown) => gen.scopeValue("obj", { ref });

/** As in JSON Schema, a surrogate pair is one character. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

/** A compiler for the metadata's schemas, in which every enum is a list of strings. */
export function createCompiler(options: { allErrors: boolean }): Ajv {
  const formats = { license: isLicense };
  const ajv = new Ajv({ strict: false, validateSchema: false, verbose: options.allErrors, formats, ...options });
  for (const keyword of KEYWORDS) {
    ajv.removeKeyword(String(keyword.keyword));
    ajv.addKeyword(keyword);
  }
  return ajv;
}

/** Whether no two items are equal as JSON, where the order of keys does not matter. In one pass. */
export function isUnique(items: readonly unknown[]): boolean {
  const plain = new Set<unknown>();
  const groups = new Map<unknown, unknown[]>();
  for (const item of items) {
    if (typeof item !== "object" || item === null) {
      if (plain.has(item)) return false;
      plain.add(item);
    } else {
      const common = commonOf(item);
      const group = groups.get(common);
      if (group) group.push(item);
      else groups.set(common, [item]);
    }
  }
  return groups.values().every((group) => group.length === 1 || new Set(group.map(written)).size === group.length);
}

/** Equal items share this, so only items that share it are compared as text. */
function commonOf(item: object): unknown {
  const { version } = item as { version?: unknown };
  return typeof version === "object" ? undefined : version;
}

/** The same text for equal values. */
const written = (value: unknown): string => JSON.stringify(value, sorted);

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
