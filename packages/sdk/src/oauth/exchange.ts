import { tokenAddress } from "../addresses.ts";
import { connectingAborted, invalidOption, OAuthError } from "../errors.ts";
import { fetchText, isRedirect } from "../request.ts";
import { formEncoded, isObject, parseJson } from "../text.ts";
import { type OAuthTokens, readTokens, tokenRefusal } from "./token-answer.ts";

/** How the application proves who it is. */
export type Client = {
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string | undefined;
  /** Default `post`: in the form. `basic`: in the Authorization header instead. */
  clientAuth?: "post" | "basic" | undefined;
};

export type TokenEndpoint = Client & {
  /** The provider's token URL, with https unless it is on this machine. */
  tokenUrl: string;
};

export type ExchangeOptions = TokenEndpoint & {
  /** These three as `waitForCode` returned them. */
  code: string;
  redirectUri: string;
  codeVerifier: string;
  fetch?: typeof fetch | undefined;
  now?: (() => number) | undefined;
  signal?: AbortSignal | undefined;
};

/** Exchanges a code for tokens. The request goes directly to the provider: secrets and tokens never pass through the gateway. */
export async function exchangeCode(options: ExchangeOptions): Promise<OAuthTokens> {
  for (const field of ["code", "redirectUri", "codeVerifier"] as const) {
    if (typeof options[field] !== "string" || options[field] === "") {
      throw invalidOption(OAuthError, field, "is missing");
    }
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

export type TokenRequest = {
  endpoint: TokenEndpoint;
  /** The form without the client's own fields. */
  fields: Readonly<Record<string, string>>;
  /** More fields of the form, which must not be seen in an error even if the provider repeats them. */
  secretFields: Readonly<Record<string, string>>;
  fetch?: typeof fetch | undefined;
  now: () => number;
  signal?: AbortSignal | undefined;
};

const TOKEN_LIMITS = { answerMs: 20_000, maxAnswerBytes: 1024 * 1024 };

/** POSTs a form to the provider's token URL. Throws OAuthError. */
export async function requestTokens(request: TokenRequest): Promise<OAuthTokens> {
  const { fetch = globalThis.fetch, now, signal } = request;
  const url = checkEndpoint(request.endpoint);
  const { headers, form, secrets } = formOf(request);
  const askedAtMs = now();
  const post = { method: "POST", headers, body: form.toString() };
  const got = await fetchText(url, post, { fetch, limits: TOKEN_LIMITS, signal });
  if ("reason" in got) {
    if (got.isAborted) throw connectingAborted(undefined);
    const fault = `The provider's token URL does not answer (${got.reason})`;
    throw new OAuthError("temporary", `${fault}. Try again in a moment.`);
  }
  const { response, text } = got;
  if (isRedirect(response)) {
    throw noTokens("the token URL redirects elsewhere, where secrets are not sent. Set tokenUrl to its final address");
  }
  const parsed = parseJson(text);
  const body = isObject(parsed) ? parsed : undefined;
  const refusal = tokenRefusal(response, body, secrets, now());
  if (refusal !== undefined) throw refusal;
  if (text === undefined)
    throw noTokens(`the answer is larger than ${TOKEN_LIMITS.maxAnswerBytes} bytes. Check tokenUrl`);
  if (body === undefined) throw noTokens("the answer is not JSON. Check that tokenUrl is the provider's token URL");
  return readTokens(body, askedAtMs);
}

/** Refuses options that cannot work, before a user is sent away for a code that could not be exchanged. */
export function checkEndpoint({ tokenUrl, clientId, clientSecret, clientAuth }: TokenEndpoint): URL {
  const refuse = (field: string, fault: string) => invalidOption(OAuthError, field, fault);
  if (typeof clientId !== "string" || clientId === "") throw refuse("clientId", "is missing");
  if (clientAuth !== undefined && clientAuth !== "post" && clientAuth !== "basic") {
    throw refuse("clientAuth", "is neither post nor basic");
  }
  if (clientAuth === "basic" && clientSecret === undefined) {
    throw refuse("clientSecret", "is missing, and clientAuth basic needs it");
  }
  return tokenAddress(tokenUrl);
}

type Form = { headers: Record<string, string>; form: URLSearchParams; secrets: string[] };

function formOf({ endpoint, fields, secretFields }: TokenRequest): Form {
  const { clientId, clientSecret, clientAuth } = endpoint;
  const headers: Record<string, string> = {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  };
  const form = new URLSearchParams({ ...fields, ...secretFields });
  const secrets = Object.values(secretFields);
  if (clientSecret !== undefined) secrets.push(clientSecret);
  if (clientAuth === "basic") {
    // RFC 6749 section 2.3.1: name and password are encoded like a form before they are joined.
    const both = btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret ?? "")}`);
    headers.authorization = `Basic ${both}`;
    secrets.push(both);
  } else {
    form.set("client_id", clientId);
    if (clientSecret !== undefined) form.set("client_secret", clientSecret);
  }
  return { headers, form, secrets };
}

const noTokens = (fault: string): OAuthError => new OAuthError("malformed-answer", `No tokens: ${fault}.`);
