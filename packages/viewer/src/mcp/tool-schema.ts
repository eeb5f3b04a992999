import { Problem } from "@backplane/kit/problems";
import { bodyChecker } from "@backplane/kit/schemas";
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type { Static, TObject } from "typebox";

/**
 * For the lists of tools only. What comes in is checked by the tool itself, so that its faults read as everywhere; what
 * goes out is ours, and a test holds it against the schema.
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

/** Compiled once: over HTTP every request has a server of its own. */
export function inputReader<Schema extends TObject>(schema: Schema): (input: unknown) => Static<Schema> {
  const faultsOf = bodyChecker(schema);
  return (input) => {
    const errors = faultsOf(input);
    if (errors.length > 0) throw new Problem("invalid-input", { errors });
    return input as Static<Schema>;
  };
}
