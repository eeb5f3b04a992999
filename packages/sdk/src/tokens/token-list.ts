import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isSystemError, unreadable } from "./file-faults.ts";
import { checkText, readTokenFile } from "./token-file.ts";
import { type Names, namesIn } from "./token-file-name.ts";

/** One record of the store, without the tokens themselves. */
export type TokenEntry = Names & {
  path: string;
  /** Epoch milliseconds; undefined when the file cannot be read or holds no tokens. */
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
