import type { FastifyInstance } from "fastify";
import { brief, forText, thorough } from "../schemas.ts";

/**
 * A body is JSON and says its types itself: "5" is not 5 there. Queries, parameters and headers are text and are
 * coerced. Nothing is compiled before it is needed: together they would be half of a start.
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
