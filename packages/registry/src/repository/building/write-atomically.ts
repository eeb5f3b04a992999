import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** The whole file or none, by way of `half`; false when it was there with these bytes already, and was left alone. */
export function writeAtomically(file: string, bytes: Uint8Array, half: string): boolean {
  if (readIfThere(file)?.equals(bytes)) return false;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(half, bytes);
  renameSync(half, file);
  return true;
}

export function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
