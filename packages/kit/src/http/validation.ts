import type { Ajv, ValidateFunction } from "ajv";
import type { FastifyInstance, RouteOptions } from "fastify";
import { allErrorsAjv, coercingAjv, firstErrorAjv } from "../schemas.ts";

/** One rule for all routes: unknown keys of a body are ignored, so that programs work that send more than we read. */
function refuseClosedBodies({ method, url, schema }: RouteOptions): void {
  type Body = { additionalProperties?: unknown; anyOf?: Body[] };
  const body = (schema?.body ?? {}) as Body;
  if ([body, ...(body.anyOf ?? [])].some(({ additionalProperties }) => additionalProperties === false)) {
    throw new Error(`${String(method)} ${url} refuses unknown keys of its body: remove additionalProperties.`);
  }
}

/**
 * A body is JSON and has types: "5" is not 5. Queries, parameters and headers are text and are converted. A schema is
 * compiled when it is first needed: compiling all of them would be half of the start-up time.
 */
export function useStrictValidation(app: FastifyInstance): void {
  app.addHook("onRoute", refuseClosedBodies);
  app.setValidatorCompiler<object>(({ schema, httpPart }) => {
    const thorough = compiledLate(schema, httpPart === "body" ? allErrorsAjv : coercingAjv);
    const brief = compiledLate(schema, firstErrorAjv);
    return (value: unknown) => {
      const validate = httpPart !== "body" || isSmall(value) ? thorough() : brief();
      return validate(value)
        ? true
        : { error: Object.assign(new Error("invalid"), { validation: validate.errors ?? [] }) };
    };
  });
}

/** Ajv knows what it has compiled, but looks for it in three steps. */
function compiledLate(schema: object, compiler: () => Ajv): () => ValidateFunction {
  let validate: ValidateFunction | undefined;
  return () => {
    validate ??= compiler().compile(schema);
    return validate;
  };
}

/** The list of all faults of a large body could be as large as the body: only the first one is reported. */
const MAX_THOROUGH_VALUES = 1_000;

const isSmall = (body: unknown): boolean => leftOf(MAX_THOROUGH_VALUES, body) >= 0;

/** How much of `room` the value and all that is in it leaves; below zero, not all was counted. */
function leftOf(room: number, value: unknown): number {
  let left = room - 1;
  if (typeof value !== "object" || value === null) return left;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (left < 0) return left;
    left = leftOf(left, inner);
  }
  return left;
}
