import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

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
  return knownNames.find((known) => distance(name.toUpperCase(), known) <= MAX_TYPOS);
}

/** How many letters must be changed, added or removed to get from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j - 1] ?? 0) + same, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
