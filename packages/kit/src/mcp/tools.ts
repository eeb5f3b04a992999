import type { CallToolResult, StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type { Static, TObject } from "typebox";
import { type FieldFault, Problem } from "../problems.ts";
import { bodyChecker } from "../schemas.ts";

/**
 * A schema for the list of tools only. Tools check their input themselves, so that errors read the same everywhere and name
 * the field.
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

export type Refusal = { code: string; message: string; errors?: readonly FieldFault[] | undefined };

/** A refused call, with its code, message and fields. */
export function refusalAnswer({ code, message, errors = [] }: Refusal): CallToolResult {
  const faults = errors.map(({ pointer, message: fault }) => `${pointer.slice(1)} ${fault}`);
  return { isError: true, content: [{ type: "text", text: [`${code}: ${message}`, ...faults].join("\n") }] };
}
