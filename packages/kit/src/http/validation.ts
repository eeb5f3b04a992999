import { Ajv, type ErrorObject } from "ajv";
import addFormats from "ajv-formats";
import type { FastifyInstance } from "fastify";
import type { FieldFault } from "../problems.ts";
import { MAX_FIELD_FAULTS } from "./limits.ts";

/**
 * A body is JSON and says its types itself: "5" is not 5 there. Queries, parameters and headers are text and are
 * coerced. Nothing is removed silently: unknown keys are the schema's decision.
 */
export function useStrictValidation(app: FastifyInstance): void {
  const options = { allErrors: true, strict: false, removeAdditional: false, useDefaults: true } as const;
  const forBodies = new Ajv({ ...options, coerceTypes: false });
  const forText = new Ajv({ ...options, coerceTypes: true });
  for (const ajv of [forBodies, forText]) addFormats.default(ajv);
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === "body" ? forBodies : forText).compile(schema));
}

/** What ajv found, as pointers and sentences that name the field. */
export function fieldFaults(errors: readonly Partial<ErrorObject>[]): FieldFault[] {
  const faults = new Map<string, string>();
  for (const error of errors) {
    const { pointer, message } = describe(error);
    // The first fault of a field is the one to fix; those of union branches would only repeat it.
    if (!faults.has(pointer)) faults.set(pointer, message);
    if (faults.size === MAX_FIELD_FAULTS) break;
  }
  return [...faults].map(([pointer, message]) => ({ pointer, message }));
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
