import type { ErrorObject, ValidateFunction } from "ajv";
import { suggestFix } from "./fixes.ts";
import { type Position, pointerPart } from "./positions.ts";
import { type CheckOptions, type MetadataKind, metadataSchemas } from "./schemas.ts";
import { createCompiler } from "./validators.ts";
import { wordsFor } from "./words.ts";

/** One thing that is wrong: where, what, and what was most likely meant. */
export type MetadataFault = Position & { rule: "json" | "schema"; pointer: string; message: string; fix?: string };
export type FoundFault = Omit<MetadataFault, keyof Position>;

/** Told of one text; what comes after would only repeat it. */
const MAX_FAULTS = 200;
/** Of a list or an object that is wrong somewhere, so many members are looked at closely. */
const MAX_MEMBERS = 1_000;

/** Where the long lists are. Their members are looked at one by one, so that no text makes more faults than are told. */
const LISTS: { readonly [kind in MetadataKind]?: { field: string; members: MetadataKind } } = {
  PackageArray: { field: "packages", members: "Package" },
  Package: { field: "versions", members: "PackageVersion" },
};

/** Finds what is wrong with a value that was found wrong. */
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
      // It lies beyond what is looked at closely.
      const validate = validatorOf(kind);
      validate(value);
      for (const error of validate.errors ?? []) faults.set("", faultOf(error, ""));
    }
    return [...faults.values()];
  };
}

/** With the first members of each list and object in it; `whole` is left as it is. */
function shortened(value: unknown, whole?: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS);
  const entries = Object.entries(value).slice(0, MAX_MEMBERS);
  return Object.fromEntries(entries.map(([key, member]) => [key, key === whole ? member : shortened(member)]));
}
