import { createHash } from "node:crypto";
import { unescape as decoded } from "node:querystring";
import { invalidOption } from "../errors.ts";

/** With both parts, the ending and what lock and temporary files add, a name stays under 255 bytes. */
const MAX_PART_LENGTH = 64;

export type Names = { provider: string; user: string };

/**
 * `<provider>.<user>.json`. Both come from outside, so all but a-z, 0-9, - and _ is written as %xx: no path leaves the
 * folder, no two users share a file, not even where the file system takes A for a.
 */
export function tokenFileName(provider: string, user: string): string {
  return `${safePart("provider", provider)}.${safePart("user", user)}.json`;
}

/**
 * Whose file it is, by its own name or, where that holds only a hash, by the names that stand in the record. They count
 * only if they lead to this very file.
 */
export function namesIn(
  fileName: string,
  { provider, user }: Readonly<Record<string, unknown>> = {},
): Names | undefined {
  const [first, second] = fileName.split(".").map(decoded);
  const candidates = [
    { provider: first, user: second },
    { provider, user },
  ];
  return candidates.find((candidate): candidate is Names => isFileOf(fileName, candidate));
}

function isFileOf(fileName: string, { provider, user }: Readonly<Record<keyof Names, unknown>>): boolean {
  try {
    return tokenFileName(provider as string, user as string) === fileName;
  } catch {
    // Of names that can have no file.
    return false;
  }
}

function safePart(field: string, text: string): string {
  if (typeof text !== "string" || text === "") throw invalidOption(field, "is missing");
  // A lone surrogate has no bytes of its own: two of them would share a file.
  if (!text.isWellFormed()) throw invalidOption(field, "is no valid Unicode");
  const encoded = [...Buffer.from(text, "utf8")].map(safeByte).join("");
  if (encoded.length <= MAX_PART_LENGTH) return encoded;
  // `~` occurs in no encoded name, so a long name is never taken for a short one.
  return `~${createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, MAX_PART_LENGTH - 1)}`;
}

function safeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, "0")}`;
}
