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
  app.setValidatorCompiler<object>(({ schema, httpPart }) => (value: unknown) => {
    const compiler = httpPart !== "body" ? coercingAjv : isSmall(value) ? allErrorsAjv : firstErrorAjv;
    const validate = compiler().compile(schema);
    return validate(value)
      ? true
      : { error: Object.assign(new Error("invalid"), { validation: validate.errors ?? [] }) };
  });
}

/** The list of all faults of a large body could be as large as the body: only the first one is reported. */
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
