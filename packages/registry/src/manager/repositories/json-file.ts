import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

const FOR_ALL = 0o666;
/** For what may hold an address that is a secret. */
export const PRIVATE = 0o600;

/** Whole or not at all, and on the disk when this returns. */
export async function writeAtomically(file: string, content: string | Uint8Array, mode = FOR_ALL): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}-${randomUUID()}.tmp`;
  try {
    {
      await using handle = await open(temporary, "wx", mode);
      await handle.writeFile(content);
      await handle.sync();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** There, but not JSON. */
export const DAMAGED = Symbol("damaged");

/** Undefined: it is not there. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return DAMAGED;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
