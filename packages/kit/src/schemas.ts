import { Ajv, type ErrorObject, type Options } from "ajv";
import addFormats from "ajv-formats";
import type { Static, TSchema } from "typebox";
import type { FieldFault } from "./problems.ts";
import { lazily } from "./toolbox/lazily.ts";

/** An answer names at most this many faulty fields. */
const MAX_FIELD_FAULTS = 20;

/** Whether unknown keys are allowed is for each schema to say: nothing is removed silently. All schemas are our own constants. */
const OPTIONS = { strict: false, validateSchema: false, removeAdditional: false, useDefaults: true } as const;
const compilerWith = (options: Options) => lazily(() => addFormats.default(new Ajv({ ...OPTIONS, ...options })));
export const allErrorsAjv = compilerWith({ allErrors: true });
export const firstErrorAjv = compilerWith({ allErrors: false });
export const coercingAjv = compilerWith({ allErrors: true, coerceTypes: true });

/** Whether a value matches the schema. A schema is compiled when it is first needed, once per process: a start needs few. */
export function fits<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  return firstErrorAjv().compile(schema)(value);
}

/** What is wrong with a small body that is checked without Fastify, by the same rules. */
export function bodyChecker(schema: object): (body: unknown) => readonly FieldFault[] {
  return (body) => {
    const validate = allErrorsAjv().compile(schema);
    return validate(body) ? [] : fieldFaults(validate.errors ?? []);
  };
}

/** What ajv found, as pointers and messages that name the field. */
export function fieldFaults(errors: readonly Partial<ErrorObject>[]): FieldFault[] {
  const faults = new Map<string, string>();
  for (const error of withChoices(errors)) {
    const { pointer, message } = describe(error);
    // The first fault of a field is the one to fix; those of union branches would only repeat it.
    if (!faults.has(pointer)) faults.set(pointer, message);
    if (faults.size === MAX_FIELD_FAULTS) break;
  }
  return [...faults].map(([pointer, message]) => ({ pointer, message }));
}

/** When a value is none of several allowed ones, the message lists all of them, not only the first. */
function withChoices(errors: readonly Partial<ErrorObject>[]): readonly Partial<ErrorObject>[] {
  const choices = new Map<string | undefined, unknown[]>();
  for (const { keyword, instancePath, params } of errors) {
    if (keyword === "const") choices.set(instancePath, [...(choices.get(instancePath) ?? []), params?.allowedValue]);
  }
  return errors.map((error) => {
    const allowedValues = error.keyword === "const" ? choices.get(error.instancePath) : undefined;
    return allowedValues && allowedValues.length > 1 ? { ...error, keyword: "enum", params: { allowedValues } } : error;
  });
}

function describe({
  instancePath = "",
  keyword,
  params = {},
  message = "is invalid",
}: Partial<ErrorObject>): FieldFault {
  const at = (property: unknown) => `${instancePath}/${String(property).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  switch (keyword) {
    case "required":
      return { pointer: at(params.missingProperty), message: "is missing" };
    case "additionalProperties":
      return { pointer: at(params.additionalProperty), message: "is not a known field" };
    case "enum":
      return { pointer: instancePath, message: `must be one of ${(params.allowedValues as unknown[]).join(", ")}` };
    case "const":
      return { pointer: instancePath, message: `must be ${JSON.stringify(params.allowedValue)}` };
    default:
      return { pointer: instancePath, message };
  }
}
