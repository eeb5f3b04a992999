import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { suggestFix } from "./fixes.ts";
import { type Position, positionAt, positionsIn } from "./positions.ts";
import { type MetadataKind, metadataSchemas } from "./schemas.ts";

/** One thing that is wrong: where, what, and what was most likely meant. */
export type MetadataFault = Position & { pointer: string; message: string; fix?: string };

export type Checked = { value: unknown } | { faults: MetadataFault[] };

/** Told of one text; what comes after would only repeat it. */
const MAX_FAULTS = 200;

/** Checks metadata as text. A fix is offered only where the fixed value would be accepted. */
export function createChecker(brand?: string): (text: string, kind: MetadataKind) => Checked {
  const schemas = metadataSchemas(brand);
  const ajv = new Ajv({ strict: false, allErrors: true, verbose: true });
  const validators = new Map<MetadataKind, ValidateFunction>();
  const validatorOf = (kind: MetadataKind): ValidateFunction => {
    const known = validators.get(kind);
    if (known) return known;
    const compiled = ajv.compile(schemas[kind]);
    validators.set(kind, compiled);
    return compiled;
  };

  return (text, kind) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return { faults: [{ pointer: "", ...positionAt(text, offsetIn(error, text)), message: "is not valid JSON" }] };
    }
    const validate = validatorOf(kind);
    if (validate(value)) return { value };
    const positionOf = positionsIn(text);
    const faults = new Map<string, MetadataFault>();
    for (const error of validate.errors ?? []) {
      const { pointer, message } = describe(error);
      if (faults.has(pointer) || faults.size === MAX_FAULTS) continue;
      const fix = suggestFix(pointer, error.data);
      const isRight = fix !== undefined && ajv.validate(error.parentSchema ?? {}, fix);
      faults.set(pointer, { pointer, ...positionOf(pointer), message, ...(isRight ? { fix } : {}) });
    }
    return { faults: [...faults.values()].sort((a, b) => a.line - b.line || a.column - b.column) };
  };
}

function describe({ instancePath, keyword, params, message = "is invalid" }: ErrorObject) {
  const at = (key: unknown) => `${instancePath}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  switch (keyword) {
    case "required":
      return { pointer: at(params.missingProperty), message: "is missing" };
    case "additionalProperties":
      return { pointer: at(params.additionalProperty), message: "is not a name that may stand here" };
    case "enum": {
      const values = params.allowedValues as string[];
      return {
        pointer: instancePath,
        message: values.length > 10 ? "is not on the list" : `must be one of ${values.join(", ")}`,
      };
    }
    default:
      return { pointer: instancePath, message };
  }
}

const TOKEN =
  /\s*(?:[{}[\],:]|"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/uy;

/** Where reading stops: as JSON.parse says it, or, where it does not, at the first thing that is no part of JSON. */
function offsetIn(error: unknown, text: string): number {
  const position = /at position (\d+)/.exec((error as Error).message)?.[1];
  if (position !== undefined) return Number(position);
  const token = new RegExp(TOKEN);
  let end = 0;
  while (token.test(text)) end = token.lastIndex;
  return end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0);
}
