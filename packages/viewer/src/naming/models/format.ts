import type { NamerSettings } from "@backplane/kit/settings";

/** One call to a model, and how its answer is read. */
export type ModelRequest = {
  url: string;
  headers: Record<string, string>;
  body: unknown;
  /** The model's words; undefined when the answer holds none, or says that the model refused. */
  wordsOf(answer: unknown): string | undefined;
};

export type ModelFormat = (namer: NamerSettings, picture: Buffer) => ModelRequest;

/** The parts of an answer that are text, whichever of the two formats. */
export function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const parts: unknown[] = content;
  return parts.map((part) => fieldOf(part, "text")).find((text) => typeof text === "string");
}

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
