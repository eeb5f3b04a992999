import type { Capability, Command, Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { isObject } from "./json.ts";

/** Lowest and highest value. */
export type Limits = readonly [number, number];

/** The parameters of a command by their names, as the device declares them. */
export function paramsOf(command: Command | undefined): Record<string, JsonObject> {
  const { properties } = command?.params ?? {};
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).filter((entry): entry is [string, JsonObject] => isObject(entry[1])),
  );
}

/** Those of the parameter, else those of the field of the same name, else these. */
export function limitsOf(
  { commands, fields }: Pick<Capability, "commands" | "fields">,
  command: string,
  param: string,
  otherwise: Limits = [0, 100],
): Limits {
  const declared = Object.hasOwn(commands, command) ? paramsOf(commands[command])[param] : undefined;
  const field: Field | undefined = Object.hasOwn(fields, param) ? fields[param] : undefined;
  const first = (...values: unknown[]): number => values.find((value) => typeof value === "number") as number;
  return [first(declared?.minimum, field?.min, otherwise[0]), first(declared?.maximum, field?.max, otherwise[1])];
}

/** The texts that a parameter may have. */
export function choicesOf(command: Command | undefined, param: string): string[] {
  const listed = paramsOf(command)[param]?.enum;
  return Array.isArray(listed) ? listed.filter((one) => typeof one === "string") : [];
}

/** `shoulder_l` → Shoulder l. */
export function wordsOf(id: string): string {
  const words = id.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
