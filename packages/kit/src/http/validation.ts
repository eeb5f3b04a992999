import { Ajv, type ErrorObject } from "ajv";
import addFormats from "ajv-formats";
import type { FastifyInstance } from "fastify";
import type { FieldFault } from "../problems.ts";
import { MAX_FIELD_FAULTS } from "./limits.ts";

/** Unknown keys are the schema's decision: nothing is removed silently. The schemas are constants of ours. */
const OPTIONS = { strict: false, validateSchema: false, removeAdditional: false, useDefaults: true } as const;
const thorough = addFormats.default(new Ajv({ ...OPTIONS, allErrors: true }));
const brief = addFormats.default(new Ajv({ ...OPTIONS, allErrors: false }));
const forText = addFormats.default(new Ajv({ ...OPTIONS, allErrors: true, coerceTypes: true }));

/**
 * A body is JSON and says its types itself: "5" is not 5 there. Queries, parameters and headers are text and are
 * coerced. Schemas are compiled when they are first needed, once a process: together they would be half of a start.
 */
export function useStrictValidation(app: FastifyInstance): void {
  app.setValidatorCompiler<object>(({ schema, httpPart }) => (value: unknown) => {
    const compiler = httpPart !== "body" ? forText : isSmall(value) ? thorough : brief;
    const validate = compiler.compile(schema);
    return validate(value)
      ? true
      : { error: Object.assign(new Error("invalid"), { validation: validate.errors ?? [] }) };
  });
}

/** What is wrong with a body, for routes that are answered before Fastify sees them. As `useStrictValidation`, for small ones. */
export function bodyChecker(schema: object): (body: unknown) => readonly FieldFault[] {
  return (body) => {
    const validate = thorough.compile(schema);
    return validate(body) ? [] : fieldFaults(validate.errors ?? []);
  };
}

/** Every fault of a large body could be as large as the body: there, the first one is told. */
const MAX_THOROUGH_VALUES = 1_000;

function isSmall(body: unknown): boolean {
  const rest: unknown[] = [body];
  for (let seen = 0; rest.length > 0; seen += 1) {
    const value = rest.pop();
    if (typeof value === "object" && value !== null) rest.push(...Object.values(value).slice(0, MAX_THOROUGH_VALUES));
    if (seen + rest.length > MAX_THOROUGH_VALUES) return false;
  }
  return true;
}

/** What ajv found, as pointers and sentences that name the field. */
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

/** A value that is none of several is told all of them, not only the first. */
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
