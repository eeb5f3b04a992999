import { readFile } from "node:fs/promises";

/** For files that may hold a secret address. */
export const PRIVATE = 0o600;

/** The file exists, but is not JSON. */
export const DAMAGED = Symbol("damaged");

/** Undefined if the file does not exist. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return DAMAGED;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
