import { OAuthError } from "../errors.ts";
import { checkEndpoint, requestTokens, type TokenEndpoint } from "../oauth/exchange.ts";
import type { OAuthTokens } from "../oauth/token-answer.ts";
import type { TokenRecord } from "./token-file.ts";
import type { TokenStore } from "./token-store.ts";

/** A token that expires within this time is refreshed before it is used. */
const REFRESH_MARGIN_MS = 60_000;

export type TokenSourceOptions = TokenEndpoint & {
  store: Pick<TokenStore, "read" | "write" | "remove" | "update">;
  provider: string;
  user: string;
  fetch?: typeof fetch | undefined;
  now?: (() => number) | undefined;
};

/** The tokens of one user at one provider. */
export type TokenSource = {
  /** A token that is valid now, refreshed if needed. Rejects with `not-connected` if the user must connect first. */
  accessToken(): Promise<string>;
  /** Whether the user is connected, for a status route. */
  status(): Promise<{ configured: boolean }>;
  /** Stores the tokens of a new connection. */
  save(tokens: OAuthTokens): Promise<void>;
  disconnect(): Promise<void>;
};

/** Refuses options that cannot work, before a user is sent to the provider. */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { store, provider, user, fetch, now = Date.now } = options;
  checkEndpoint(options);
  let refreshing: Promise<string> | undefined;
  let waitUntilMs = 0;

  const isFresh = ({ expiresAt }: TokenRecord) => expiresAt - now() > REFRESH_MARGIN_MS;
  const isUsable = (record: TokenRecord) => record.refreshToken !== undefined || isFresh(record);
  const isValid = ({ expiresAt }: TokenRecord) => expiresAt > now();

  async function renew(current: TokenRecord, refreshToken: string): Promise<TokenRecord> {
    try {
      const tokens = await requestTokens({
        endpoint: options,
        fields: { grant_type: "refresh_token" },
        secretFields: { refresh_token: refreshToken },
        fetch,
        now,
      });
      // Without a new refresh token the old one stays, with all other stored fields.
      return { ...current, ...tokens };
    } catch (error) {
      if (!(error instanceof OAuthError) || error.code !== "invalid-grant") throw error;
      const { refreshToken: _dead, ...rest } = current;
      return rest;
    }
  }

  /** Runs under the lock of this user: after waiting for it, the token may already be fresh. */
  async function refreshed(current: TokenRecord | undefined): Promise<TokenRecord | undefined> {
    if (current?.refreshToken === undefined || isFresh(current)) return current;
    const waitMs = waitUntilMs - now();
    if (waitMs > 0) throw busyFor(waitMs);
    return renew(current, current.refreshToken);
  }

  async function refresh(): Promise<string> {
    try {
      const record = await store.update(provider, user, refreshed);
      if (record === undefined || !isUsable(record)) throw notConnected(provider);
      return record.accessToken;
    } catch (error) {
      if (!(error instanceof OAuthError) || error.code !== "temporary") throw error;
      waitUntilMs = Math.max(waitUntilMs, now() + (error.retryAfterMs ?? 0));
      const record = await store.read(provider, user);
      if (record !== undefined && isValid(record)) return record.accessToken;
      throw error;
    }
  }

  return {
    async accessToken() {
      const record = await store.read(provider, user);
      if (record === undefined || !isUsable(record)) throw notConnected(provider);
      if (isFresh(record)) return record.accessToken;
      refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    async status() {
      const record = await store.read(provider, user);
      return { configured: record !== undefined && isUsable(record) };
    },
    save: (tokens) => store.write(provider, user, tokens),
    async disconnect() {
      await store.remove(provider, user);
    },
  };
}

function notConnected(provider: string): OAuthError {
  return new OAuthError("not-connected", `${provider} is not connected. Connect it, then try again.`);
}

function busyFor(waitMs: number): OAuthError {
  const seconds = Math.ceil(waitMs / 1_000);
  return new OAuthError("temporary", `The provider asked to wait ${seconds} s. Try again after that.`, {
    retryAfterMs: waitMs,
  });
}
