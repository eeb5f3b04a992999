import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { typosBetween } from "./toolbox/typos.ts";

export type EnvFile = { values: Readonly<Record<string, string | undefined>>; faults: readonly string[] };

/** Two letters swapped, left out or mistyped. */
const MAX_TYPOS = 2;
/** Shorter names are too similar to each other. */
const MIN_CHARACTERS = 8;

/** The folder's .env file: its values, and names that look like misspelt settings. */
export function readEnvFile(folder: string, knownNames: readonly string[]): EnvFile {
  const file = join(folder, ".env");
  // A folder with this name is a Python environment.
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return { values: {}, faults: [] };
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return { values: {}, faults: ["cannot be read: correct its permissions, or remove it."] };
  }
  const values = parseEnv(text);
  const faults = Object.keys(values).flatMap((name) => {
    const meant = knownNames.includes(name) ? undefined : nearest(name, knownNames);
    return meant === undefined ? [] : [`sets ${name}, which is not a setting. Did you mean ${meant}?`];
  });
  return { values, faults };
}

function nearest(name: string, knownNames: readonly string[]): string | undefined {
  if (name.length < MIN_CHARACTERS) return undefined;
  return knownNames.find((known) => typosBetween(name.toUpperCase(), known) <= MAX_TYPOS);
}
