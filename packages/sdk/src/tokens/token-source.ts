import { OAuthError } from "../errors.ts";
import type { OAuthTokens } from "../exchange/token-answer.ts";
import { checkEndpoint, requestTokens, type TokenEndpoint } from "../exchange/token-request.ts";
import type { TokenRecord } from "./token-record.ts";
import type { TokenStore } from "./token-store.ts";

/** A token that lives no longer than this is refreshed before it is used. */
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
  /** One that is good for a request now, refreshed if need be. Rejects with `not-connected` when the user must connect. */
  accessToken(): Promise<string>;
  /** Whether the user is connected; what a status route returns. */
  status(): Promise<{ configured: boolean }>;
  /** Keeps the tokens of a new connection. */
  save(tokens: OAuthTokens): Promise<void>;
  disconnect(): Promise<void>;
};

/** Refuses options that cannot work, so that a program learns of them before it sends a user off. */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { store, provider, user, fetch, now = Date.now } = options;
  checkEndpoint(options);
  let refreshing: Promise<string> | undefined;
  let leaveAloneUntilMs = 0;

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
      // Without a new refresh token the old one stays, with all else that is kept.
      return { ...current, ...tokens };
    } catch (error) {
      if (!(error instanceof OAuthError) || error.code !== "invalid-grant") throw error;
      const { refreshToken: _dead, ...rest } = current;
      return rest;
    }
  }

  /** Alone for this user: whoever waited finds the token of whoever was first. */
  async function refreshed(current: TokenRecord | undefined): Promise<TokenRecord | undefined> {
    if (current?.refreshToken === undefined || isFresh(current)) return current;
    const waitMs = leaveAloneUntilMs - now();
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
      leaveAloneUntilMs = Math.max(leaveAloneUntilMs, now() + (error.retryAfterMs ?? 0));
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
  return new OAuthError("temporary", `The provider asked to be left alone for ${seconds} s. Try again after that.`, {
    retryAfterMs: waitMs,
  });
}
