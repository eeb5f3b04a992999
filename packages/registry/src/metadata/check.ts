import type { ValidateFunction } from "ajv";
import { createFaultFinder, type MetadataFault } from "./faults.ts";
import { jsonFaultAt, positionsAt, positionsIn, withoutMark } from "./positions.ts";
import { type CheckOptions, type MetadataKind, metadataSchemas } from "./schemas.ts";
import { createCompiler } from "./validators.ts";

export type { MetadataFault } from "./faults.ts";

type Checked = { value: unknown } | { faults: MetadataFault[] };
export type Checker = (text: string, kind: MetadataKind) => Checked;

/** Checks metadata as text. A fix is offered only if the fixed value would be accepted. */
export function createChecker(brand?: string, options: CheckOptions = {}): Checker {
  const checkValue = createValueChecker(brand, options);
  return (text, kind) => {
    const parsed = parseJson(text);
    return "faults" in parsed ? parsed : checkValue(text, parsed.value, kind);
  };
}

/** The same for text that was already parsed. Valid values take one quick pass; only invalid ones are examined closely. */
export function createValueChecker(
  brand?: string,
  options: CheckOptions = {},
): (text: string, value: unknown, kind: MetadataKind) => Checked {
  const validatorOf = createValidators(brand, options);
  const findFaults = createFaultFinder(brand, options, validatorOf);
  return (text, value, kind) => {
    if (isDeeperThan(MAX_DEPTH, value)) return { faults: [TOO_DEEP] };
    if (validatorOf(kind)(value)) return { value };
    const found = findFaults(value, kind);
    const positionOf = positionsIn(
      text,
      found.map(({ pointer }) => pointer),
    );
    const faults = found.map(({ pointer, ...rest }) => ({ pointer, ...positionOf(pointer), ...rest }));
    return { faults: faults.sort((a, b) => a.line - b.line || a.column - b.column) };
  };
}

/** Far deeper than any metadata. Deeper JSON can be parsed, but code that compares or writes it overflows the stack. */
export const MAX_DEPTH = 64;

const TOO_DEEP: MetadataFault = {
  rule: "json",
  pointer: "",
  line: 1,
  column: 1,
  message: `is nested more than ${MAX_DEPTH} levels deep`,
};

/** Validators that stop at the first fault. Each is compiled when it is first needed. */
function createValidators(brand?: string, options: CheckOptions = {}): (kind: MetadataKind) => ValidateFunction {
  const schemas = metadataSchemas(brand, options);
  const compiler = createCompiler({ allErrors: false });
  return (kind) => compiler.compile(schemas[kind]);
}

export function parseJson(given: string): Checked {
  const text = withoutMark(given);
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const { line, column } = positionsAt(text)(jsonFaultAt(error, text));
    return { faults: [{ rule: "json", pointer: "", line, column, message: "is not valid JSON" }] };
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const member of value) {
      if (typeof member === "object" && isDeeperThan(levels - 1, member)) return true;
    }
    return false;
  }
  const members = value as Record<string, unknown>;
  // Not Object.values: its temporary lists take as long as all the rest for a long packages.json.
  for (const key in members) {
    const member = members[key];
    if (typeof member === "object" && isDeeperThan(levels - 1, member)) return true;
  }
  return false;
}
