import { invalidOption } from "../errors.ts";
import type { OAuthTokens } from "./token-answer.ts";
import { type Client, requestTokens } from "./token-request.ts";

export type ExchangeOptions = Client & {
  /** The provider's token URL. */
  tokenUrl: string;
  /** These three as `waitForCode` gave them. */
  code: string;
  redirectUri: string;
  codeVerifier: string;
  fetch?: typeof fetch;
  now?: () => number;
  signal?: AbortSignal;
};

/** Exchanges a code for tokens. It goes to the provider directly: neither secret nor tokens pass the gateway. */
export async function exchangeCode(options: ExchangeOptions): Promise<OAuthTokens> {
  for (const field of ["code", "clientId", "redirectUri", "codeVerifier"] as const) {
    if (typeof options[field] !== "string" || options[field] === "") throw invalidOption(field, "is missing");
  }
  const { code, clientId, clientSecret, clientAuth, redirectUri, codeVerifier } = options;
  return requestTokens({
    tokenUrl: options.tokenUrl,
    client: { clientId, clientSecret, clientAuth },
    fields: { code, redirect_uri: redirectUri, grant_type: "authorization_code", code_verifier: codeVerifier },
    secrets: [code, codeVerifier, clientSecret ?? ""],
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    now: options.now ?? Date.now,
    signal: options.signal,
  });
}
