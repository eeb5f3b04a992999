import { homedir } from "node:os";
import { join } from "node:path";
import { openTokenStore } from "@backplane/sdk/tokens";

/** The store keeps a file per provider and user; here that is a Backplane and whoever has this home. */
const USER = "session";

export type KeptSession = { sessionToken: string; expiresAt: number; allowHttp: boolean };

export type KeptSessions = {
  pathOf(baseUrl: string): string;
  read(baseUrl: string): Promise<KeptSession | undefined>;
  write(baseUrl: string, session: KeptSession): Promise<void>;
  remove(baseUrl: string): Promise<boolean>;
  /** Every Backplane that a session is kept for. */
  places(): Promise<string[]>;
};

/** One file a Backplane in ~/.backplane/sessions, for this account only, written whole or not at all. */
export function openKeptSessions(folder = join(homedir(), ".backplane", "sessions")): KeptSessions {
  const store = openTokenStore({ folder });
  return {
    pathOf: (baseUrl) => store.pathOf(baseUrl, USER),
    async read(baseUrl) {
      const record = await store.read(baseUrl, USER);
      if (record === undefined) return undefined;
      const { accessToken, expiresAt, allowHttp } = record;
      return { sessionToken: accessToken, expiresAt, allowHttp: allowHttp === true };
    },
    write: (baseUrl, { sessionToken, ...others }) =>
      store.write(baseUrl, USER, { accessToken: sessionToken, ...others }),
    remove: (baseUrl) => store.remove(baseUrl, USER),
    async places() {
      const entries = await store.list();
      return entries.filter(({ user }) => user === USER).map(({ provider }) => provider);
    },
  };
}
