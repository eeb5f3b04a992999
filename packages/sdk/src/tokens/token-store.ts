import { homedir } from "node:os";
import { basename, join } from "node:path";
import { withFileLock } from "./file-lock.ts";
import { makePrivateFolder, removeFile, replaceText, writing } from "./files.ts";
import {
  keptOf,
  listTokens,
  type Names,
  namesIn,
  parseTokenFile,
  readTokenFile,
  type TokenEntry,
  type TokenRecord,
  tokenFileName,
} from "./token-file.ts";

/** One file per provider and user, for this account of the machine only. Throws OAuthError. */
export type TokenStore = {
  readonly folder: string;
  /** Where the record of this user is, or would be. */
  pathOf(provider: string, user: string): string;
  /** Every record, whichever program wrote it, without the tokens themselves. */
  list(): Promise<TokenEntry[]>;
  read(provider: string, user: string): Promise<TokenRecord | undefined>;
  /** Keeps what `exchangeCode` gave, without the ID token. */
  write(provider: string, user: string, record: TokenRecord): Promise<void>;
  /** Whether there was one. */
  remove(provider: string, user: string): Promise<boolean>;
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
  folder?: string | undefined;
};

export function openTokenStore({ folder = defaultFolder() }: TokenStoreOptions = {}): TokenStore {
  const pathOf = (provider: string, user: string) => join(folder, tokenFileName(provider, user));

  async function alone<T>(path: string, work: () => Promise<T>): Promise<T> {
    await writing(path, () => makePrivateFolder(folder));
    return withFileLock(`${path}.lock`, work);
  }

  function store(path: string, names: Names, record: TokenRecord): Promise<void> {
    // A long name is only a hash in the file name, so the record has it too, for the list.
    const named = namesIn(basename(path)) === undefined ? { ...record, ...names } : record;
    return writing(path, () => replaceText(path, `${JSON.stringify(named, undefined, 2)}\n`));
  }

  return {
    folder,
    pathOf,
    list: () => listTokens(folder),
    async read(provider, user) {
      const path = pathOf(provider, user);
      return parseTokenFile(path, await readTokenFile(path));
    },
    async write(provider, user, record) {
      const kept = keptOf(record);
      const path = pathOf(provider, user);
      await alone(path, () => store(path, { provider, user }, kept));
    },
    async remove(provider, user) {
      const path = pathOf(provider, user);
      return alone(path, () => writing(path, () => removeFile(path)));
    },
    async update(provider, user, change) {
      const path = pathOf(provider, user);
      return alone(path, async () => {
        const before = await readTokenFile(path);
        const current = parseTokenFile(path, before);
        const next = await change(current);
        if (next === undefined || next === current) return current;
        // A program that does not use the lock has written in the meantime. Its tokens are newer than these.
        const after = await readTokenFile(path);
        if (after !== before) return parseTokenFile(path, after);
        const kept = keptOf(next);
        await store(path, { provider, user }, kept);
        return kept;
      });
    },
  };
}

const defaultFolder = (): string => join(homedir(), ".backplane", "tokens");
