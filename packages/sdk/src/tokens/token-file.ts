import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { unescape as decoded } from "node:querystring";
import { invalidOption, OAuthError } from "../errors.ts";
import { isObject, parseJson } from "../text.ts";
import { isSystemError, readFileText, unreadable } from "./files.ts";

/** What is stored per user. Other fields are kept unchanged. */
export type TokenRecord = {
  accessToken: string;
  refreshToken?: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  [other: string]: unknown;
};

type CheckedRecord = { isRecord: true; record: TokenRecord } | { isRecord: false; field: string; fault: string };

/** The record, or what is wrong with it: the field and the fault, never the value. */
function checkRecord(value: unknown): CheckedRecord {
  if (!isObject(value)) return wrong("it", "is not a JSON object");
  const { accessToken, refreshToken, expiresAt, ...others } = value;
  if (typeof accessToken !== "string" || accessToken === "") return wrong("accessToken", "is missing");
  if (typeof expiresAt !== "number" || !Number.isFinite(expiresAt)) {
    return wrong("expiresAt", "is not a time in milliseconds");
  }
  if (refreshToken === undefined || refreshToken === null || refreshToken === "") {
    return { isRecord: true, record: { accessToken, expiresAt, ...others } };
  }
  if (typeof refreshToken !== "string") return wrong("refreshToken", "is not a string");
  return { isRecord: true, record: { accessToken, refreshToken, expiresAt, ...others } };
}

const wrong = (field: string, fault: string): CheckedRecord => ({ isRecord: false, field, fault });

/** The text of the file; undefined if there is none. */
export async function readTokenFile(path: string): Promise<string | undefined> {
  try {
    return await readFileText(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

export function parseTokenFile(path: string, text: string | undefined): TokenRecord | undefined {
  if (text === undefined) return undefined;
  const checked = checkText(text);
  if (checked.isRecord) return checked.record;
  throw new OAuthError(
    "token-file-unreadable",
    `The token file ${path} contains no tokens: ${checked.field} ${checked.fault}. Remove it and connect again.`,
    { path, field: checked.field },
  );
}

/** What is stored of a record: everything but the ID token, which is only needed at sign-in. */
export function keptOf(record: TokenRecord): TokenRecord {
  const checked = checkRecord(record);
  if (!checked.isRecord) throw invalidOption(OAuthError, checked.field, checked.fault);
  const { idToken: _, ...kept } = checked.record;
  return kept;
}

function checkText(text: string): CheckedRecord {
  return checkRecord(parseJson(text));
}

/** With both parts, the ending, and the endings of lock and temporary files, a name is shorter than 255 bytes. */
const MAX_PART_LENGTH = 64;

export type Names = { provider: string; user: string };

/**
 * `<provider>.<user>.json`. Both come from outside, so everything but a-z, 0-9, - and _ is written as %xx: no path leaves
 * the folder, and no two users share a file, not even on file systems that ignore case.
 */
export function tokenFileName(provider: string, user: string): string {
  return `${safePart("provider", provider)}.${safePart("user", user)}.json`;
}

/**
 * Whose file it is: by its name or, if that contains only a hash, by the names in the record. Those are used only if
 * they lead to this file.
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
    // No file can have these names.
    return false;
  }
}

function safePart(field: string, text: string): string {
  if (typeof text !== "string" || text === "") throw invalidOption(OAuthError, field, "is missing");
  // A lone surrogate has no bytes of its own: two users could share a file.
  if (!text.isWellFormed()) throw invalidOption(OAuthError, field, "is not valid Unicode");
  const encoded = [...Buffer.from(text, "utf8")].map(safeByte).join("");
  if (encoded.length <= MAX_PART_LENGTH) return encoded;
  // No encoded name contains `~`, so a long name never equals a short one.
  return `~${createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, MAX_PART_LENGTH - 1)}`;
}

function safeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, "0")}`;
}

/** One record of the store, without its tokens. */
export type TokenEntry = Names & {
  path: string;
  /** Epoch milliseconds; undefined if the file cannot be read or contains no tokens. */
  expiresAt: number | undefined;
  refreshable: boolean;
};

export async function listTokens(folder: string): Promise<TokenEntry[]> {
  const entries = await Promise.all((await namesOfFiles(folder)).map((name) => entryIn(folder, name)));
  return entries.filter((entry) => entry !== undefined);
}

async function entryIn(folder: string, fileName: string): Promise<TokenEntry | undefined> {
  const path = join(folder, fileName);
  const text = await readTokenFile(path).catch(() => "");
  // Removed since the folder was read.
  if (text === undefined) return undefined;
  const checked = checkText(text);
  const record = checked.isRecord ? checked.record : undefined;
  const names = namesIn(fileName, record);
  if (names === undefined) return undefined;
  return { ...names, path, expiresAt: record?.expiresAt, refreshable: record?.refreshToken !== undefined };
}

async function namesOfFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return [];
    throw unreadable(folder, error);
  }
}
