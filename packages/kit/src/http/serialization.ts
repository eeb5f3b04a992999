import fastJsonStringify from "fast-json-stringify";
import type { FastifyInstance } from "fastify";

type Stringify = (value: unknown) => string;

const compiled = new WeakMap<object, Stringify>();

/** As Fastify does it, except that a schema is compiled when an answer first needs it, and once per process. */
export function useLateSerialization(app: FastifyInstance): void {
  app.setSerializerCompiler<object>(({ schema }) => {
    let stringify: Stringify | undefined;
    return (value) => {
      stringify ??= compile(schema);
      return stringify(value);
    };
  });
}

function compile(schema: object): Stringify {
  const known = compiled.get(schema) ?? fastJsonStringify(schema);
  compiled.set(schema, known);
  return known;
}
