import { invalidOption } from "../errors.ts";
import type { OAuthTokens } from "./token-answer.ts";
import { requestTokens, type TokenEndpoint } from "./token-request.ts";

export type ExchangeOptions = TokenEndpoint & {
  /** These three as `waitForCode` gave them. */
  code: string;
  redirectUri: string;
  codeVerifier: string;
  fetch?: typeof fetch | undefined;
  now?: (() => number) | undefined;
  signal?: AbortSignal | undefined;
};

/** Exchanges a code for tokens. It goes to the provider directly: neither secret nor tokens pass the gateway. */
export async function exchangeCode(options: ExchangeOptions): Promise<OAuthTokens> {
  for (const field of ["code", "redirectUri", "codeVerifier"] as const) {
    if (typeof options[field] !== "string" || options[field] === "") throw invalidOption(field, "is missing");
  }
  const { code, redirectUri, codeVerifier, fetch, now = Date.now, signal } = options;
  return requestTokens({
    endpoint: options,
    fields: { grant_type: "authorization_code", redirect_uri: redirectUri },
    secretFields: { code, code_verifier: codeVerifier },
    fetch,
    now,
    signal,
  });
}
