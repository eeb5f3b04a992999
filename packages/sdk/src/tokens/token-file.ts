import { invalidOption, OAuthError } from "../errors.ts";
import { unreadable } from "./file-faults.ts";
import { readText } from "./private-file.ts";
import { type CheckedRecord, checkRecord, type TokenRecord } from "./token-record.ts";

/** The file as it is; undefined when there is none. */
export async function readTokenFile(path: string): Promise<string | undefined> {
  try {
    return await readText(path);
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
    `The token file ${path} holds no tokens: ${checked.field} ${checked.fault}. Remove it and connect again.`,
    { path, field: checked.field },
  );
}

/** What of a record is kept: an ID token tells who signed in, once, and is of no use later. */
export function keptOf(record: TokenRecord): TokenRecord {
  const checked = checkRecord(record);
  if (!checked.isRecord) throw invalidOption(checked.field, checked.fault);
  const { idToken: _, ...kept } = checked.record;
  return kept;
}

export function checkText(text: string): CheckedRecord {
  try {
    return checkRecord(JSON.parse(text));
  } catch {
    // The message of a JSON fault quotes what it read, which may be a token.
    return checkRecord(undefined);
  }
}
