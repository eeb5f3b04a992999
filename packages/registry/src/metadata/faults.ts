import { LICENSES } from "@backplane/contract/registry";
import type { ErrorObject, ValidateFunction } from "ajv";
import { type Position, pointerPart } from "./positions.ts";
import { type CheckOptions, type MetadataKind, metadataSchemas } from "./schemas.ts";
import { createCompiler } from "./validators.ts";

/** One error: where, what, and the likely fix. */
export type MetadataFault = Position & { rule: "json" | "schema"; pointer: string; message: string; fix?: string };
type FoundFault = Omit<MetadataFault, keyof Position>;

/** Per text; more would only repeat the same. */
const MAX_FAULTS = 200;
/** How many members of a faulty list or object are examined closely. */
const MAX_MEMBERS = 1_000;

/** The long lists. Their members are checked one by one, so that the number of faults stays bounded. */
const LISTS: { readonly [kind in MetadataKind]?: { field: string; members: MetadataKind } } = {
  PackageArray: { field: "packages", members: "Package" },
  Package: { field: "versions", members: "PackageVersion" },
};

/** Finds out what is wrong with a value that failed validation. */
export function createFaultFinder(
  brand: string | undefined,
  options: CheckOptions,
  validatorOf: (kind: MetadataKind) => ValidateFunction,
): (value: unknown, kind: MetadataKind) => FoundFault[] {
  const compiler = createCompiler({ allErrors: true });
  const schemas = metadataSchemas(brand, {
    ...options,
    use: (name, part) => (name === "Package" || name === "PackageVersion" ? {} : part),
  });

  const faultOf = (error: ErrorObject, base: string): FoundFault => {
    const { at, message } = wordsFor(error);
    const pointer = base + at;
    const fix = suggestFix(pointer, error.data);
    const isRight = fix !== undefined && compiler.validate(error.parentSchema ?? {}, fix);
    return { rule: "schema", pointer, message, ...(isRight ? { fix } : {}) };
  };

  const collect = (value: unknown, kind: MetadataKind, base: string, faults: Map<string, FoundFault>) => {
    const validate = compiler.compile(schemas[kind]);
    const list = LISTS[kind];
    validate(shortened(value, list?.field));
    for (const error of validate.errors ?? []) {
      if (faults.size >= MAX_FAULTS) return;
      const fault = faultOf(error, base);
      if (!faults.has(fault.pointer)) faults.set(fault.pointer, fault);
    }
    const members = list && (value as Record<string, unknown> | null)?.[list.field];
    if (!list || !Array.isArray(members)) return;
    const isRight = validatorOf(list.members);
    for (const [index, member] of members.entries()) {
      if (faults.size >= MAX_FAULTS) return;
      if (!isRight(member)) collect(member, list.members, `${base}/${pointerPart(list.field)}/${index}`, faults);
    }
  };

  return (value, kind) => {
    const faults = new Map<string, FoundFault>();
    collect(value, kind, "", faults);
    if (faults.size === 0) {
      // The fault is beyond what is examined closely.
      const validate = validatorOf(kind);
      validate(value);
      for (const error of validate.errors ?? []) faults.set("", faultOf(error, ""));
    }
    return [...faults.values()];
  };
}

/** The value with only the first members of each list and object; the field `whole` is left complete. */
function shortened(value: unknown, whole?: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS);
  const entries = Object.entries(value).slice(0, MAX_MEMBERS);
  return Object.fromEntries(entries.map(([key, member]) => [key, key === whole ? member : shortened(member)]));
}

/** A longer list of values is not spelled out. */
const MAX_NAMED_VALUES = 10;

/** Where a fault is, and what is wrong, in words. */
function wordsFor(error: ErrorObject): { at: string; message: string } {
  const { instancePath, keyword, params, schema } = error;
  const inside = (name: unknown) => `${instancePath}/${pointerPart(String(name))}`;
  const here = (message: string) => ({ at: instancePath, message });
  switch (keyword) {
    case "required":
      return { at: inside(params.missingProperty), message: "is missing" };
    case "additionalProperties":
      return { at: inside(params.additionalProperty), message: "is not an allowed name" };
    case "enum": {
      const values = params.allowedValues as string[];
      return here(values.length > MAX_NAMED_VALUES ? "is not on the list" : `must be one of ${values.join(", ")}`);
    }
    case "type":
      return here(`must be ${NOUNS[String(params.type)] ?? params.type}`);
    case "maxLength":
      return here(`is longer than ${params.limit} characters`);
    case "format":
      return here("is not an SPDX licence, such as MIT or GPL-3.0-or-later");
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

/** What a pattern requires, by field. */
const SHAPES: readonly [field: RegExp, shape: string][] = [
  [/\/version$/, "must be a number such as 1, 1.2 or 1.2.3"],
  [/_version(_max)?$/, "must be a tool version such as 9, 9.0 or 9.0.2"],
  [/\/(url|download_url|\$schema)$/, "must be an address that begins with https://, http:// or file://"],
  [/sha256$/, "must be 64 digits and letters a to f, in lower case"],
  [/\/identifier$/, "must be 2 to 100 letters, digits, dots and dashes, a letter first, no dot or dash last"],
  [
    /\/(tags\/\d+|type|category)$/,
    "must be 2 to 50 lower-case letters, digits and dashes, a letter first, no dash last",
  ],
  [/\/update_time_utc$/, "must be written YYYY-MM-DD HH:MM:SS"],
];

const shapeOf = (pointer: string): string | undefined => SHAPES.find(([field]) => field.test(pointer))?.[1];

/** The likely intention, by field. */
const FIXES: readonly [field: RegExp, suggest: (value: string) => string][] = [
  [/\/version$/, (value) => value.replace(/^v/i, "").split(/[-+]/, 1)[0] ?? ""],
  [/_version(_max)?$/, (value) => value.replace(/^v/i, "")],
  [/\/license$/, (value) => licenseLike(value)],
  [
    /\/tags\/\d+$/,
    (value) =>
      value
        .trim()
        .toLowerCase()
        .replace(/[\s_]+/g, "-"),
  ],
  [/\/identifier$/, (value) => value.trim().replace(/[\s_]+/g, "-")],
  [/sha256$/, (value) => value.trim().toLowerCase()],
  [/\/(status|type|runtime)$/, (value) => value.trim().toLowerCase()],
  [/\/platforms\/\d+$/, (value) => PLATFORMS[value.trim().toLowerCase()] ?? value],
];

const PLATFORMS: Readonly<Record<string, string>> = {
  win: "windows",
  win32: "windows",
  windows: "windows",
  mac: "macos",
  osx: "macos",
  darwin: "macos",
  macos: "macos",
  linux: "linux",
};

function licenseLike(value: string): string {
  const plain = value.trim().replace(/-(only|or-later)$|\+$/i, "");
  return LICENSES.find((known) => known.toLowerCase() === plain.toLowerCase()) ?? value;
}

/** Longer values are not typing errors of these fields, and some of the patterns above are slow on long texts. */
const MAX_CHARACTERS = 200;

/** A value for the field that is likely right; undefined if there is none or it is the same. */
function suggestFix(pointer: string, value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_CHARACTERS) return undefined;
  const suggested = FIXES.find(([field]) => field.test(pointer))?.[1](value);
  return suggested === value || suggested === "" ? undefined : suggested;
}
