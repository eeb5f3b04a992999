import { flag, type List, textAt } from "../sexpr/index.ts";
import { readText, type Text } from "./shapes.ts";

/** A named text of a symbol, sheet or label. `text` is its value. */
export interface Field extends Text {
  readonly name: string;
  /** Whether the name is drawn before the value. */
  readonly showName: boolean;
}

export function readField(node: List): Field {
  const { at, angle, effects } = readText(node);
  const [name = "", text = ""] = [textAt(node, 1), textAt(node, 2)];
  return { node, name, text, at, angle, effects, showName: flag(node, "show_name") };
}

/** The value of the field of that name, or undefined. */
export const fieldText = (fields: readonly Field[], name: string): string | undefined =>
  fields.find((field) => field.name === name)?.text;
