import { FIELD_EXAMPLES } from "@backplane/contract/examples";

/** The parts of a JSON Schema from which an example follows. */
export type JsonSchema = {
  $ref?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  examples?: readonly unknown[];
  default?: unknown;
  format?: string;
  minimum?: number;
  minItems?: number;
  anyOf?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  items?: JsonSchema;
};

export type ExampleOptions = {
  /** The name of the field. */
  name?: string;
  /** Whether optional fields are shown too: in answers, not in requests, where some exclude each other. */
  isWhole: boolean;
};

const BY_FORMAT: Readonly<Record<string, unknown>> = {
  "date-time": "2026-11-16T14:31:00.000Z",
  email: "ada@example.com",
  uuid: "0197c1f2-6f0e-7c3a-9d52-1b7a3f5e8c90",
};

/** A value that the schema allows: its own example, else that of the field's name, else one of its type. */
export function exampleOf(schema: JsonSchema, options: ExampleOptions): unknown {
  const { name = "" } = options;
  const [own = schema.const ?? schema.enum?.[0]] = schema.examples ?? [];
  if (own !== undefined) return own;
  const branch = schema.anyOf?.find(({ type }) => type !== "null");
  if (branch) return exampleOf(branch, options);
  const byName = FIELD_EXAMPLES[name];
  if (byName !== undefined && isOfType(byName, schema.type)) return byName;
  return schema.default ?? byType(schema, options);
}

function byType(schema: JsonSchema, options: ExampleOptions): unknown {
  const { type, format = "", minimum = 1, minItems = 1, items, properties, required } = schema;
  switch (type) {
    case "string":
      return BY_FORMAT[format] ?? (options.name || "text");
    case "integer":
    case "number":
      return minimum;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return items ? Array.from({ length: minItems }, () => exampleOf(items, options)) : [];
    default:
      return fieldsOf(properties ?? {}, required ?? [], options);
  }
}

function fieldsOf(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
  { isWhole }: ExampleOptions,
): Record<string, unknown> {
  const shown = Object.entries(properties).filter(([name]) => isWhole || required.includes(name));
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, { name, isWhole })]));
}

function isOfType(value: unknown, type: JsonSchema["type"]): boolean {
  switch (type) {
    case undefined:
      return true;
    case "integer":
      return Number.isInteger(value);
    case "object":
      return typeof value === "object";
    default:
      return typeof value === type;
  }
}
