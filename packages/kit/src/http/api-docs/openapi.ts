import type { ProblemCode } from "../../problems.ts";
import type { JsonSchema } from "./example.ts";
import type { RouteAccess } from "./route-schema.ts";

export type Media = {
  schema?: JsonSchema;
  example?: unknown;
  examples?: Record<string, { value: unknown }> | undefined;
};
export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
  examples?: Media["examples"];
};
export type Answer = { description: string; content?: Record<string, Media> };
export type Operation = {
  tags?: readonly string[];
  summary?: string;
  description?: string;
  security?: readonly Record<string, readonly string[]>[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer | { $ref: string }>;
  "x-access"?: RouteAccess;
  "x-problems"?: readonly ProblemCode[];
  /** As several readers of OpenAPI documents expect it. */
  "x-codeSamples"?: readonly { lang: string; source: string }[];
};
/** The parts of an OpenAPI document that we read and write. */
export type ApiDocument = {
  info: { title: string; description?: string; version: string };
  servers?: readonly { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components?: Record<string, object>;
};
