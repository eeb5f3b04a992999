import { tokenAddress } from "../addresses.ts";
import { aborted, invalidOption, OAuthError } from "../errors.ts";
import { formEncoded } from "../plain-text.ts";
import { readBounded } from "./bounded-body.ts";
import { type OAuthTokens, readTokens } from "./token-answer.ts";
import { refusalOf } from "./token-refusal.ts";

/** How the application shows who it is. */
export type Client = {
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string | undefined;
  /** Default `post`, in the form; `basic`: in the Authorization header, and then not in the form. */
  clientAuth?: "post" | "basic" | undefined;
};

/** Where it gets its tokens, and as whom. */
export type TokenEndpoint = Client & {
  /** The provider's token URL, with https unless it is on this machine. */
  tokenUrl: string;
};

export type TokenRequest = {
  endpoint: TokenEndpoint;
  /** The form without the client's own fields. */
  fields: Readonly<Record<string, string>>;
  /** More of it: what must not be seen in an error, should the provider repeat it. */
  secretFields: Readonly<Record<string, string>>;
  fetch?: typeof fetch | undefined;
  now: () => number;
  signal?: AbortSignal | undefined;
};

/** What the provider has for its answer. */
const TOKEN_REQUEST_TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** POSTs a form to the provider's token URL. Throws OAuthError. */
export async function requestTokens(request: TokenRequest): Promise<OAuthTokens> {
  const url = checkEndpoint(request.endpoint);
  const { headers, form, secrets } = dress(request);
  const askedAtMs = request.now();
  const { response, text } = await post(request, url, headers, form);
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    throw malformed(
      "the token URL redirects elsewhere, where secrets are not sent. Give its final address as tokenUrl",
    );
  }
  const body = parseObject(text);
  const refusal = refusalOf(response, body, secrets, request.now());
  if (refusal !== undefined) throw refusal;
  if (text === undefined) throw malformed(`the answer is larger than ${MAX_ANSWER_BYTES} bytes. Check tokenUrl`);
  if (body === undefined) throw malformed("the answer is not JSON. Check that tokenUrl is the provider's token URL");
  return readTokens(body, askedAtMs);
}

/** Refuses what cannot work, also before a user is sent off for a code that could not be exchanged. */
export function checkEndpoint({ tokenUrl, clientId, clientSecret, clientAuth }: TokenEndpoint): URL {
  if (typeof clientId !== "string" || clientId === "") throw invalidOption("clientId", "is missing");
  if (clientAuth !== undefined && clientAuth !== "post" && clientAuth !== "basic") {
    throw invalidOption("clientAuth", "is neither post nor basic");
  }
  if (clientAuth === "basic" && clientSecret === undefined) {
    throw invalidOption("clientSecret", "is missing, and clientAuth basic needs it");
  }
  return tokenAddress(tokenUrl);
}

type Dressed = { headers: Record<string, string>; form: URLSearchParams; secrets: string[] };

function dress({ endpoint, fields, secretFields }: TokenRequest): Dressed {
  const { clientId, clientSecret, clientAuth } = endpoint;
  const headers: Record<string, string> = {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  };
  const form = new URLSearchParams({ ...fields, ...secretFields });
  const secrets = Object.values(secretFields);
  if (clientSecret !== undefined) secrets.push(clientSecret);
  if (clientAuth === "basic") {
    // RFC 6749 section 2.3.1 wants name and password encoded like a form before they are joined.
    const both = btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret ?? "")}`);
    headers.authorization = `Basic ${both}`;
    secrets.push(both);
  } else {
    form.set("client_id", clientId);
    if (clientSecret !== undefined) form.set("client_secret", clientSecret);
  }
  return { headers, form, secrets };
}

async function post(
  request: TokenRequest,
  url: URL,
  headers: Record<string, string>,
  form: URLSearchParams,
): Promise<{ response: Response; text: string | undefined }> {
  const { signal, fetch = globalThis.fetch } = request;
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  const timer = setTimeout(onAbort, TOKEN_REQUEST_TIMEOUT_MS);
  signal?.addEventListener("abort", onAbort);
  try {
    signal?.throwIfAborted();
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: form.toString(),
      // A redirect would take the code and the secret along.
      redirect: "manual",
      credentials: "omit",
      cache: "no-store",
      signal: stop.signal,
    });
    return { response, text: await readBounded(response, MAX_ANSWER_BYTES) };
  } catch (error) {
    // No cause is kept: a fetch of somebody else may hang the request on its errors.
    if (signal?.aborted === true) throw aborted(undefined);
    const reason = stop.signal.aborted ? `within ${TOKEN_REQUEST_TIMEOUT_MS / 1_000} s` : networkCode(error);
    throw new OAuthError("temporary", `The provider's token URL does not answer (${reason}). Try again in a moment.`);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function networkCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^[A-Z0-9_]{1,40}$/.test(code) ? code : "no connection";
}

function parseObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const malformed = (fault: string): OAuthError => new OAuthError("malformed-answer", `No tokens: ${fault}.`);
