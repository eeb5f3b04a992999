import { Problem } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type { Static, TObject } from "typebox";

/**
 * A schema for the list of tools only. Tools check their input themselves, so that errors read the same everywhere; a test
 * checks their output.
 */
export function listed(schema: TObject): StandardSchemaWithJSON {
  const json = { ...schema };
  return {
    "~standard": {
      version: 1,
      vendor: "backplane",
      jsonSchema: { input: () => json, output: () => json },
      validate: (value) => ({ value }),
    },
  };
}

/** Compiled once, because over HTTP each request has its own server. */
export function inputReader<Schema extends TObject>(schema: Schema): (input: unknown) => Static<Schema> {
  const faultsOf = bodyChecker(schema);
  return (input) => {
    const errors = faultsOf(input);
    if (errors.length > 0) throw new Problem("invalid-input", { errors });
    return input as Static<Schema>;
  };
}
