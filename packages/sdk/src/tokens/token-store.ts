import { homedir } from "node:os";
import { join } from "node:path";
import { invalidOption, OAuthError } from "../errors.ts";
import { withFileLock } from "./file-lock.ts";
import { makePrivateFolder, readText, removeFile, replaceText } from "./private-file.ts";
import { tokenFileName } from "./token-file-name.ts";
import { checkRecord, type TokenRecord } from "./token-record.ts";

/** One file per provider and user, for this account of the machine only. Throws OAuthError. */
export type TokenStore = {
  read(provider: string, user: string): Promise<TokenRecord | undefined>;
  write(provider: string, user: string, record: TokenRecord): Promise<void>;
  remove(provider: string, user: string): Promise<void>;
  /**
   * Stores what `change` makes of the record and returns what is stored then. One change at a time per user, across
   * processes. When it throws, or returns the very record it was given, nothing is written.
   */
  update(
    provider: string,
    user: string,
    change: (current: TokenRecord | undefined) => Promise<TokenRecord | undefined>,
  ): Promise<TokenRecord | undefined>;
};

export type TokenStoreOptions = {
  /** Default `~/.backplane/tokens`. */
  folder?: string;
};

export function openTokenStore(options: TokenStoreOptions = {}): TokenStore {
  const { folder = join(homedir(), ".backplane", "tokens") } = options;
  const pathOf = (provider: string, user: string) => join(folder, tokenFileName(provider, user));

  async function alone<T>(path: string, work: () => Promise<T>): Promise<T> {
    await makePrivateFolder(folder);
    return withFileLock(`${path}.lock`, work);
  }

  return {
    async read(provider, user) {
      const path = pathOf(provider, user);
      return parse(path, await readFileOf(path));
    },
    async write(provider, user, record) {
      const text = format(record);
      const path = pathOf(provider, user);
      await alone(path, () => replaceText(path, text));
    },
    async remove(provider, user) {
      const path = pathOf(provider, user);
      await alone(path, () => removeFile(path));
    },
    async update(provider, user, change) {
      const path = pathOf(provider, user);
      return alone(path, async () => {
        const before = await readFileOf(path);
        const current = parse(path, before);
        const next = await change(current);
        if (next === undefined || next === current) return current;
        // A program that knows no lock has written meanwhile. What it wrote is newer than what was asked for here.
        const after = await readFileOf(path);
        if (after !== before) return parse(path, after);
        await replaceText(path, format(next));
        return next;
      });
    },
  };
}

function format(record: TokenRecord): string {
  const checked = checkRecord(record);
  if (!checked.isRecord) throw invalidOption(checked.field, checked.fault);
  return `${JSON.stringify(checked.record, undefined, 2)}\n`;
}

async function readFileOf(path: string): Promise<string | undefined> {
  try {
    return await readText(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    throw new OAuthError(
      "token-file-unreadable",
      `The token file ${path} cannot be read${code}. Give this account access to it, or remove it and connect again.`,
      { path, cause: error },
    );
  }
}

function parse(path: string, text: string | undefined): TokenRecord | undefined {
  if (text === undefined) return undefined;
  const checked = checkRecord(parseJson(text));
  if (checked.isRecord) return checked.record;
  throw new OAuthError(
    "token-file-unreadable",
    `The token file ${path} holds no tokens: ${checked.field} ${checked.fault}. Remove it and connect again.`,
    { path, field: checked.field },
  );
}

/** The message of a JSON fault quotes what it read, which may be a token. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
